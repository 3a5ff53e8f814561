import { z } from 'zod';
import type { JsonObject, JsonValue } from '@phaseline/basics';
import type { PastCall } from '../past-call.js';
import { filterCalls } from '../scene.js';

const resultSchema = z.object({
  ok: z.boolean(),
  explanations: z.array(z.string()).default([]),
  data: z.json().default(null),
});
export type ToolResult = z.infer<typeof resultSchema>;

/** Reads the result of a planning tool. What is no such result, as when the arguments were refused, is a failure with its text as explanation. */
function readToolResult({ result, shown }: PastCall): ToolResult {
  // A result that the prompt no longer shows was read when it was new.
  if (shown !== 'whole') return { ok: true, explanations: [], data: null };
  try {
    const parsed = resultSchema.safeParse(JSON.parse(result));
    if (parsed.success) return parsed.data;
  } catch {
    // Not JSON.
  }
  return { ok: false, explanations: [result], data: null };
}

/** What became of the calls of a tool in this phase. */
export interface ToolHistory {
  /** Last result that was a success. */
  readonly success: ToolResult | undefined;
  readonly failures: readonly ToolResult[];
  readonly count: number;
}

/** Drafts in one phase. The controller ends a phase with a draft that suffices; if it does not, the model is asked for another one. */
export const MAX_DRAFTS = 3;

export function readToolHistory(calls: readonly PastCall[], name: string): ToolHistory {
  const own = filterCalls(calls, name);
  const results = own.map(readToolResult);
  return {
    success: results.findLast(({ ok }) => ok),
    failures: results.filter(({ ok }) => !ok),
    count: own.length,
  };
}

/** Returns a value with the names of its fields in snake_case, as tools take them. Keys that are no names of fields, such as `L1 once`, stay. */
export function toToolArguments(value: object): JsonObject {
  return renameKeys(value as JsonObject) as JsonObject;
}

function renameKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(renameKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [/^[a-z][a-zA-Z0-9]*$/.test(key) ? toSnakeKey(key) : key, renameKeys(member)]),
  );
}

function toSnakeKey(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
