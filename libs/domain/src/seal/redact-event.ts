import { jobEventDefinitions } from '../job/job-events.js';
import type { JsonObject } from '../json.js';
import { phaseEventDefinitions } from '../phase/phase-events.js';
import { redactorOf, type Kept, type Redactor } from './redactor.js';

/** What processes, definitions and models are named, and nobody writes sentences in. */
const identifier = /^[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,127}$/;
const toolName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const callId = /^[A-Za-z0-9_.:-]{1,64}$/;
const anything = /^/;

/** Members that every event may show. */
const identifiers: readonly (readonly [string, RegExp])[] = [
  ['callId', callId],
  ['callIds', callId],
  ['parent', callId],
  ['holder', identifier],
  ['previousHolder', identifier],
  ['streamId', identifier],
  ['model', identifier],
  ['tools', toolName],
  ['onDemand', toolName],
  ['names', toolName],
  ['tenant', identifier],
  ['state', identifier],
  ['outcome', identifier],
  ['timer', identifier],
  ['code', identifier],
  // Who asked stays in the log, as the proof of it does.
  ['actor', anything],
  ['agentHash', anything],
  ['workflowHash', anything],
];

/** Members that only some events may show. */
const more: Readonly<Record<string, readonly (readonly [string, RegExp])[]>> = {
  ModelResponded: [['name', toolName]],
  ToolCallRequested: [['name', toolName]],
  ToolCallDenied: [['name', toolName]],
  ApprovalRequested: [['name', toolName]],
  PhaseForked: [['hash', anything]],
  // It is written when there is no key any more, and says who asked for that, and why.
  JobErased: [['reason', anything]],
};

/** Definitions are the installation's and not the job's: every job of an agent has the same. */
const whole = new Set(['agent', 'workflow', 'definition', 'settings']);

const schemas = new Map([...jobEventDefinitions, ...phaseEventDefinitions].map(({ type, data }) => [type, data]));
/** Made when a sealed job first needs them: most processes never do. */
const redactors = new Map<string, Redactor>();

/** What of an event's texts may be seen although its job is sealed. */
export function keptIn(type: string): Kept {
  return { identifiers: new Map([...identifiers, ...(more[type] ?? [])]), whole };
}

/**
 * The data of an event without its content: what may be seen of a sealed job. It fits the schema of the event and folds like
 * the whole, but every text that a person, a model or a tool wrote is a placeholder, and every map is empty. Throws for a
 * type that this release does not know.
 */
export function redactEvent(type: string, data: JsonObject): JsonObject {
  return redactorFor(type)(data) as JsonObject;
}

function redactorFor(type: string): Redactor {
  const known = redactors.get(type);
  if (known) return known;
  const schema = schemas.get(type as never);
  if (!schema) throw new Error(`no event is called ${type}`);
  const redactor = redactorOf(schema, keptIn(type));
  redactors.set(type, redactor);
  return redactor;
}
