import type { AgentList, SubmitFile } from '@phaseline/client';
import { SUBMIT_LIMITS, type SubmitRequest } from '@phaseline/contracts';

export type Agent = AgentList['items'][number];

/** A document that was chosen or written. */
export interface DraftDocument {
  /** Distinguishes documents, also with the same name. */
  readonly id: number;
  readonly name: string;
  readonly content: File | string;
}

/** What a person has entered, as texts. */
export interface SubmitDraft {
  readonly agent: string;
  readonly tenant: string;
  readonly instructions: string;
  readonly documents: readonly DraftDocument[];
  /** Values of the parameters that the agent requires, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly maxCostUsd: string;
  readonly maxTokens: string;
  readonly maxPhases: string;
  readonly maxMinutes: string;
  readonly labels: string;
  readonly priority: string;
  readonly encrypt: boolean;
  readonly idempotencyKey: string;
}

/** What is wrong with each field, by its name. */
export type FieldErrors = Readonly<Partial<Record<string, string>>>;

const MINUTE_MS = 60_000;
const numberFields = ['maxCostUsd', 'maxTokens', 'maxPhases', 'maxMinutes', 'priority'] as const;

/** Builds the request. Its values must have been checked by `checkDraft`. */
export function buildRequest(draft: SubmitDraft): {
  readonly request: SubmitRequest;
  readonly files: readonly SubmitFile[];
} {
  const { agent, tenant, instructions, idempotencyKey, encrypt } = draft;
  const minutes = readNumber(draft.maxMinutes);
  const budgets = Object.entries({
    maxCostUsd: readNumber(draft.maxCostUsd),
    maxTokens: readNumber(draft.maxTokens),
    maxPhases: readNumber(draft.maxPhases),
    maxWallTimeMs: minutes === undefined ? undefined : Math.round(minutes * MINUTE_MS),
  }).filter(([, value]) => value !== undefined);
  const parameters = Object.entries(draft.parameters).filter(([, value]) => value.trim() !== '');
  const labels = parseLabels(draft.labels).labels;
  const priority = readNumber(draft.priority);
  return {
    request: {
      agent,
      ...(tenant.trim() === '' ? {} : { tenant: tenant.trim() }),
      ...(instructions.trim() === '' ? {} : { instructions }),
      ...(budgets.length === 0 ? {} : { budgets: Object.fromEntries(budgets) }),
      ...(parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters.map(toParameter)) }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(priority === undefined ? {} : { priority }),
      ...(encrypt ? { encrypt } : {}),
      ...(idempotencyKey.trim() === '' ? {} : { idempotencyKey: idempotencyKey.trim() }),
    },
    files: draft.documents.map(({ name, content }) => ({ name, content })),
  };
}

/** A parameter that is written as JSON becomes that value, so that numbers and lists can be given; anything else is a text. */
function toParameter([name, text]: readonly [string, string]): readonly [string, unknown] {
  try {
    return [name, JSON.parse(text) as unknown];
  } catch {
    return [name, text];
  }
}

function readNumber(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text);
}

/** Parses labels, one `key=value` per line. */
export function parseLabels(text: string): {
  readonly labels: Readonly<Record<string, string>>;
  readonly problem?: string;
} {
  const labels: Record<string, string> = {};
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const at = line.indexOf('=');
    if (at < 1) return { labels, problem: `Expected key=value, found “${line.trim().slice(0, 80)}”.` };
    labels[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return { labels };
}

/** Finds what can be seen to be wrong before anything is sent. The server checks everything again. */
export function checkDraft(draft: SubmitDraft, agent: Agent | undefined): FieldErrors {
  const errors: Record<string, string> = {};
  if (!agent) return { agent: 'Choose an agent.' };
  const { requires = {} } = agent;
  if (requires.instructions === true && draft.instructions.trim() === '')
    errors['instructions'] = `${agent.displayName} needs instructions.`;
  if ((requires.documents ?? 0) > draft.documents.length)
    errors['documents'] =
      `${agent.displayName} needs at least ${requires.documents} ${requires.documents === 1 ? 'document' : 'documents'}.`;
  for (const name of requires.parameters ?? [])
    if ((draft.parameters[name] ?? '').trim() === '') errors[`parameters.${name}`] = 'This value is needed.';
  for (const field of numberFields) {
    const value = readNumber(draft[field]);
    const isAllowed = value === undefined || (field === 'priority' ? value >= 0 && value <= 100 : value > 0);
    if (!isAllowed)
      errors[field] = field === 'priority' ? 'Expected a number from 0 to 100.' : 'Expected a number above 0.';
  }
  const { problem } = parseLabels(draft.labels);
  if (problem !== undefined) errors['labels'] = problem;
  if (draft.documents.length > SUBMIT_LIMITS.documents)
    errors['documents'] = `A job has at most ${SUBMIT_LIMITS.documents} documents.`;
  const names = draft.documents.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) errors['documents'] = `Two documents have the name ${repeated}.`;
  return errors;
}
