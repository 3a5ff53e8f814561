import { isBlankText } from '@phaseline/basics';
import { resolveObligationRef, type Obligation } from './obligation.js';
import { listOutputPaths, readOutputs, type OutputRules } from './planned-outputs.js';
import type { Todo } from './todo.js';

/** What is known while the items of a list are read, one after another. */
export interface PlanReading {
  readonly obligations: readonly Obligation[];
  readonly rules: OutputRules | undefined;
  readonly ids: Set<number>;
  /** Paths that earlier todos name as outputs. */
  readonly taken: Set<string>;
}

export interface ReadTodo {
  /** The todo, if its id and content are valid. */
  readonly todo?: Todo;
  readonly problems: readonly string[];
}

/** Reads one item of a todos file, and adds its id and the paths of its outputs to what is known. */
export function readPlannedTodo(item: unknown, place: string, reading: PlanReading): ReadTodo {
  if (!isRecord(item)) return { problems: [`${place} must be a mapping with 'id' and 'content'.`] };
  const { id, content } = item;
  const { ids, taken, obligations, rules } = reading;
  const problems: string[] = [];
  const isValidId = typeof id === 'number' && Number.isSafeInteger(id);
  if (!isValidId) problems.push(`${place}: 'id' must be an integer.`);
  else if (ids.has(id)) problems.push(`${place}: id ${id} is used more than once.`);
  else ids.add(id);
  const isValidContent = typeof content === 'string' && !isBlankText(content);
  if (!isValidContent) problems.push(`${place}: 'content' must be a non-empty text.`);
  const outputs = readOutputs(item['outputs'], place, taken, rules);
  for (const path of listOutputPaths(outputs.checks)) taken.add(path);
  problems.push(...outputs.problems);
  if (!isValidId || !isValidContent) return { problems };
  const todo: Todo = {
    id,
    content: content.trim(),
    status: 'open',
    ...coversOf(item['covers'], obligations),
    ...(outputs.checks.length > 0 ? { outputs: [...outputs.checks] } : {}),
  };
  return { todo, problems };
}

/** The obligations that a todo covers. Invalid references are dropped: the obligation then counts as missing and is reported. */
function coversOf(given: unknown, obligations: readonly Obligation[]): { covers?: string[] } {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const refs = list.flatMap((one) =>
    typeof one === 'string' || typeof one === 'number' ? (resolveObligationRef(one, obligations) ?? []) : [],
  );
  return refs.length > 0 ? { covers: [...new Set(refs)] } : {};
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
