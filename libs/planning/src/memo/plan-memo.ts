import { jsonObjectSchema, toCanonicalJson, type JsonObject } from '@phaseline/basics';
import { z } from 'zod';
import type { HashText } from '../artifacts/content-hash.js';
import { contentHashSchema, nameSchema } from '../artifacts/fields.js';
import type { PlanningTool } from '../session/tool-order.js';

/** Bounds of the memo. A plan of ordinary size has results of some kilobytes; the oldest are dropped first. */
export const MAX_MEMO_ENTRIES = 32;
export const MAX_MEMO_BYTES = 512 * 1024;

const hashesSchema = z.record(z.string(), contentHashSchema.nullable());

const entrySchema = z.strictObject({
  key: contentHashSchema,
  tool: nameSchema,
  left: hashesSchema.describe(
    'What the call changed, by name, with the hash that it left; null for what does not exist',
  ),
  answer: jsonObjectSchema.describe('Answer for the model'),
  result: jsonObjectSchema.describe('What checks and the trace read'),
});
export type MemoEntry = z.infer<typeof entrySchema>;

/** Answers of tools of one plan, oldest first. It is a file of the plan, so that a fork or a replay has the same. */
export const planMemoSchema = z.strictObject({ entries: z.array(entrySchema).max(MAX_MEMO_ENTRIES) });
export type PlanMemo = z.infer<typeof planMemoSchema>;

/** Everything that decides the answer of a call. Two calls with the same key have the same answer. */
export interface MemoCall {
  readonly tool: PlanningTool;
  readonly arguments: object;
  /** Policy that applies to the session. */
  readonly policy: object;
  /** Model and hash of the prompts that made the arguments; absent where a tool cannot know them. */
  readonly maker?: { readonly model: string; readonly prompts: string };
  /** Hashes of what the tool reads, by name. */
  readonly reads: Readonly<Record<string, string | null>>;
}

/** Computes the key of a call. */
export function computeMemoKey(call: MemoCall, hashText: HashText): string {
  return hashText(toCanonicalJson(call));
}

/**
 * Finds the answer to a call that was made before. `findHash` returns the present hash of something that a call left: if it differs, the answer does
 * not hold any more, as after another call replaced the artifact.
 */
export function recallAnswer(
  memo: PlanMemo,
  key: string,
  findHash: (name: string) => string | null,
): { readonly answer: JsonObject; readonly result: JsonObject } | undefined {
  const entry = memo.entries.find((one) => one.key === key);
  if (!entry) return undefined;
  const holds = Object.entries(entry.left).every(([name, hash]) => findHash(name) === hash);
  if (!holds) return undefined;
  // The changes of the plan belong to the call that made them.
  return { answer: { ...entry.answer, memo: true }, result: { ...entry.result, adaptations: 0, memo: true } };
}

/** Adds an answer. One with the same key is replaced, the oldest are dropped, and one that is larger than the memo is not added. */
export function rememberAnswer(memo: PlanMemo, entry: MemoEntry): PlanMemo {
  let bytes = countBytes(entry);
  if (bytes > MAX_MEMO_BYTES) return memo;
  const kept: MemoEntry[] = [entry];
  for (const one of memo.entries.filter(({ key }) => key !== entry.key).toReversed()) {
    bytes += countBytes(one);
    if (bytes > MAX_MEMO_BYTES || kept.length === MAX_MEMO_ENTRIES) break;
    kept.unshift(one);
  }
  return { entries: kept };
}

function countBytes(entry: MemoEntry): number {
  return new TextEncoder().encode(toCanonicalJson(entry)).length;
}
