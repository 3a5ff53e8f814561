import { jobEventDefinitions } from '../job/job-events.js';
import type { JsonObject } from '@phaseline/basics';
import type { z } from 'zod';
import { phaseEventDefinitions } from '../phase/phase-events.js';
import { createRedactor, type VisibleMembers, type Redactor } from './redactor.js';

/** Names of processes, definitions and models: their format cannot contain a sentence. */
const identifier = /^[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,127}$/;
const toolName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const callId = /^[A-Za-z0-9_.:-]{1,64}$/;
const anything = /^/;

/** Members that stay visible in every event. */
const commonIdentifiers: readonly (readonly [string, RegExp])[] = [
  ['callId', callId],
  ['callIds', callId],
  ['parent', callId],
  ['claim', callId],
  ['leaseOwner', identifier],
  ['previousLeaseOwner', identifier],
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
  // The actor stays visible, as part of the audit trail.
  ['actor', anything],
  ['agentHash', anything],
  ['workflowHash', anything],
];

/** Members that stay visible only in some events. */
const identifiersByEvent: Readonly<Record<string, readonly (readonly [string, RegExp])[]>> = {
  ModelResponded: [['name', toolName]],
  ToolCallRequested: [['name', toolName]],
  ToolCallDenied: [['name', toolName]],
  ApprovalRequested: [['name', toolName]],
  // Guards belong to the installation or the agent; what they say about a call may quote it.
  GuardDecided: [
    ['name', identifier],
    ['version', anything],
  ],
  GuardOverridden: [['guard', identifier]],
  GuardOverrideRevoked: [['guard', identifier]],
  JobGuardOverridden: [['guard', identifier]],
  JobGuardOverrideRevoked: [['guard', identifier]],
  GuardsAwaited: [
    ['name', identifier],
    ['version', anything],
  ],
  ClaimRaised: [['name', identifier]],
  JudgeEnded: [['name', identifier]],
  PhaseForked: [
    ['hash', anything],
    ['name', toolName],
  ],
  // The database reads them, and nobody could find the archive without them.
  JobMovedToColdStorage: [
    ['archive', identifier],
    ['sha256', anything],
    ['digest', anything],
  ],
  // Written when the key no longer exists; records who requested the erasure, and why.
  JobErased: [['reason', anything]],
};

/** Definitions belong to the installation, not to the job: every job of an agent has the same. */
const visibleMembers = new Set(['agent', 'agents', 'workflow', 'definition', 'settings']);

const schemas: ReadonlyMap<string, z.ZodType> = new Map(
  [...jobEventDefinitions, ...phaseEventDefinitions].map(({ type, data }) => [type, data]),
);
/** Redactors by event type, created when first needed. */
const redactors = new Map<string, Redactor>();

/** The texts of an event that stay visible although its job is encrypted. */
function getVisibleMembers(type: string): VisibleMembers {
  return { identifiers: new Map([...commonIdentifiers, ...(identifiersByEvent[type] ?? [])]), whole: visibleMembers };
}

/**
 * Redacts the data of an event to what may be seen of an encrypted job. The result matches the schema of the event and folds
 * like the original, but every text written by a person, a model or a tool is a placeholder, and every map is empty. Throws
 * for an unknown type.
 */
export function redactEvent(type: string, data: JsonObject): JsonObject {
  return findRedactor(type)(data) as JsonObject;
}

function findRedactor(type: string): Redactor {
  const known = redactors.get(type);
  if (known) return known;
  const schema = schemas.get(type);
  if (!schema) throw new Error(`unknown event type ${type}`);
  const redactor = createRedactor(schema, getVisibleMembers(type));
  redactors.set(type, redactor);
  return redactor;
}
