import { localPathSchema as path } from '@phaseline/contracts';
import { z } from 'zod';
import { matchersSchema, patternSchema } from './matcher.js';

/** Since when a file must have changed or a call must have ended. */
const sinceNames = ['todo', 'phase'] as const;
export type Since = (typeof sinceNames)[number];

const count = z.int().min(0);
/** Where in a JSON document something is. */
export const jsonPointerSchema = z
  .string()
  .max(500)
  .regex(/^(?:\/[^/]*)*$/, 'expected a JSON pointer such as /requirements');

/** Quotations of a JSON file. Each must occur in one of the sources, word by word and in order; layout and punctuation do not count. */
const citationsSchema = z.strictObject({
  at: jsonPointerSchema.describe('Where the quotations are; * stands for each item of a list or member of an object'),
  in: z.array(path).min(1).max(20).describe('Paths or globs of the sources'),
  minWords: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe('Number of words that each quotation has at least; 3 by default'),
  min: count.optional().describe('Number of quotations; 1 by default'),
});
export type CitationsCheck = z.infer<typeof citationsSchema>;

/** A file of the workspace. With a glob as `path`, one matching file must fulfil everything. */
export const fileCheckSchema = z.strictObject({
  path,
  exists: z.boolean().optional().describe('False: no such file may exist. True by default'),
  changedSince: z.enum(sinceNames).optional().describe('Its content differs from that at this time'),
  minBytes: count.optional().describe('Size in bytes, where a run of white space counts as one'),
  minLines: count.optional().describe('Number of lines that are not blank'),
  maxLines: count.optional().describe('Number of lines'),
  minItems: count.optional().describe('Number of items of the JSON list, or lines of JSON Lines that are not blank'),
  pointer: jsonPointerSchema.optional().describe('Where in a JSON file minItems and jsonSchema apply'),
  matches: z
    .union([patternSchema, z.array(patternSchema).min(1).max(20)])
    .optional()
    .describe('RE2 patterns that occur'),
  jsonSchema: path.optional().describe('Schema of the agent that the file fulfils'),
  citations: citationsSchema.optional().describe('Quotations in the JSON file that occur in their sources'),
});
export type FileCheck = z.infer<typeof fileCheckSchema>;

/** An ended call of the phase. */
export const callCheckSchema = z.strictObject({
  tool: z.union([z.string().min(1).max(200), z.array(z.string().min(1).max(200)).min(1).max(50)]),
  args: matchersSchema.optional().describe('What its arguments were'),
  result: matchersSchema.optional().describe('What the structured result of the tool was'),
  outcome: z.enum(['completed', 'failed', 'any']).optional().describe('How it ended; completed by default'),
  since: z.enum(['todo', 'phase']).optional().describe('When it ended; since the current todo began by default'),
  before: path.optional().describe('It ended before the last write of this file in the phase'),
  work: z.literal(true).optional().describe('It did more than read or change the list and the notes of the agent'),
  min: z.int().min(1).max(1_000).optional().describe('Number of such calls; 1 by default'),
});
export type CallCheck = z.infer<typeof callCheckSchema>;

/** Files that were read in the phase. With a glob as `path`, each of the matching files. */
export const readCheckSchema = z.strictObject({
  path,
  newest: z.literal(true).optional().describe('Only the newest of the files that match'),
  before: path.optional().describe('They were read before the last write of this file in the phase'),
});
export type ReadCheck = z.infer<typeof readCheckSchema>;

/** Name of a verifier or judge. */
export const runNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and dashes');

/** A condition that a claim must fulfil, as data. */
export type Check =
  | { readonly file: FileCheck }
  | { readonly call: CallCheck }
  /** Files that existed when the phase began, and that the agent has read in it. */
  | { readonly read: ReadCheck }
  /** A command of the agent that passes on the claimed files. */
  | { readonly verifier: string }
  /** A verifier whose cases fail on the files with which the work on a feature began, and pass on the claimed ones. */
  | { readonly proof: string }
  /** A model that does not object. */
  | { readonly judge: string }
  | { readonly all: readonly Check[] }
  | { readonly any: readonly Check[] }
  | { readonly not: Check };

/** Depth to which `all`, `any` and `not` may be nested. */
const MAX_CHECK_DEPTH = 4;

const nodeSchema: z.ZodType<Check> = z.lazy(() =>
  z.union([
    z.strictObject({ file: fileCheckSchema }),
    z.strictObject({ call: callCheckSchema }),
    z.strictObject({ read: readCheckSchema }),
    z.strictObject({ verifier: runNameSchema }),
    z.strictObject({ proof: runNameSchema }),
    z.strictObject({ judge: runNameSchema }),
    z.strictObject({ all: z.array(nodeSchema).min(1).max(50) }),
    z.strictObject({ any: z.array(nodeSchema).min(1).max(50) }),
    z.strictObject({ not: nodeSchema }),
  ]),
);
const checkSchema = nodeSchema.refine(isShallow, `nested deeper than ${MAX_CHECK_DEPTH} levels`);
export const checksSchema = z.array(checkSchema).max(50);

function isShallow(check: Check): boolean {
  return getCheckDepth(check) <= MAX_CHECK_DEPTH;
}

/** Number of levels of a check: 1 for one that contains no other. */
function getCheckDepth(check: Check): number {
  if ('all' in check) return 1 + Math.max(...check.all.map(getCheckDepth));
  if ('any' in check) return 1 + Math.max(...check.any.map(getCheckDepth));
  return 'not' in check ? 1 + getCheckDepth(check.not) : 1;
}
