import { callIdSchema, jobIdSchema, streamIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { queryInteger, queryPosition } from '../http/query-values.js';

const count = z.int().min(0);
const ordinal = z.int().min(1);
const place = z.object({ from: z.int(), to: z.int() });

/** Query of `GET /v1/jobs/:jobId/explain`. */
export const explainQuerySchema = z
  .strictObject({
    /** Path of the file, relative to the workspace. */
    path: z.string().min(1).max(1_000),
    /** The line to explain, counted from 1; default: all lines. */
    line: queryInteger({ min: 1, max: 1_000_000_000 }).optional(),
    /** Position in the event log as of which the file is explained, inclusive; default: now. */
    at: queryPosition().optional(),
  })
  .meta({ id: 'ExplainQuery' });
export type ExplainQuery = z.infer<typeof explainQuerySchema>;

/** What a line cites. */
export const lineSourceSchema = z
  .discriminatedUnion('kind', [
    /** A quotation with its place in a document or page. In a JSON file, that of the innermost object around the line. */
    z.object({
      kind: z.literal('citation'),
      /** Path of the document, or address of the page. */
      document: z.string(),
      lines: place.optional(),
      pages: place.optional(),
      paragraphs: place.optional(),
      quote: z.string(),
    }),
    /** A reference such as `[2]` to a stored source. */
    z.object({ kind: z.literal('source'), number: ordinal, path: z.string(), url: z.string() }),
    /** A file of `documents/` or `sources/` that the line names. */
    z.object({ kind: z.literal('file'), path: z.string() }),
  ])
  .meta({ id: 'LineSource' });
export type LineSource = z.infer<typeof lineSourceSchema>;

/** A document that a call had read before. It need not be what the line is based on. */
const readDocumentSchema = z
  .object({
    callId: callIdSchema,
    tool: z.string(),
    step: ordinal,
    path: z.string().optional(),
    url: z.string().optional(),
    query: z.string().optional(),
    /** Number of a stored source. */
    source: ordinal.optional(),
  })
  .meta({ id: 'ReadDocument' });
export type ReadDocument = z.infer<typeof readDocumentSchema>;

/** A version of a file that wrote at least one of the explained lines, and how it came about. */
const explainedWriteSchema = z
  .object({
    /** `import`: the submission or the repository; `outside`: a change in the working folder that no call made. */
    author: z.enum(['call', 'person', 'import', 'outside', 'system']),
    /** Who wrote or submitted it, if the author is a person, or it came with the submission. */
    actor: z.string().optional(),
    /** Where an imported version came from; `commit` is that of the repository. */
    imported: z.object({ from: z.enum(['submission', 'repository']), commit: z.string().optional() }).optional(),
    /** The job that wrote it: for a fork, it may be the parent. */
    jobId: jobIdSchema,
    /** Path of the file at that time. */
    path: z.string(),
    /** Hash and size of the version. */
    hash: z.string(),
    size: count,
    writtenAt: z.iso.datetime(),
    /** The event that records the version. */
    event: z.object({ streamId: streamIdSchema, version: ordinal, position: ordinal, hash: z.string() }),
    phase: z.object({ number: ordinal, state: z.string(), kind: z.string(), name: z.string() }).optional(),
    step: ordinal.optional(),
    callId: callIdSchema.optional(),
    tool: z.string().optional(),
    /** The call of the model, if a script made the call that wrote. */
    outer: z.object({ callId: callIdSchema, tool: z.string() }).optional(),
    /** The todo that was in progress. */
    todo: z.object({ id: z.int(), content: z.string() }).optional(),
    /** The prompt after which the model requested the call: `GET /v1/jobs/:jobId/phases/:phase/steps/:step/prompt`. */
    prompt: z.object({ phase: ordinal, step: ordinal, model: z.string(), requestHash: z.string() }).optional(),
    /** What the agent had read since the todo began, or in the same step; only if a single line is explained. */
    read: z.array(readDocumentSchema),
  })
  .meta({ id: 'ExplainedWrite' });
export type ExplainedWrite = z.infer<typeof explainedWriteSchema>;

const explainedRangeSchema = z
  .object({
    /** First and last line, counted from 1, inclusive. */
    from: ordinal,
    to: ordinal,
    /** Index in `writes`. */
    write: count,
    /** Whether an earlier version may have had the lines already: its content was removed, or is too large to compare. */
    mayBeOlder: z.boolean(),
    sources: z.array(lineSourceSchema),
  })
  .meta({ id: 'ExplainedRange' });
export type ExplainedRange = z.infer<typeof explainedRangeSchema>;

/** Who wrote the lines of a file. */
export const explanationSchema = z
  .object({
    jobId: jobIdSchema,
    path: z.string(),
    /** Hash and size of the explained version. */
    hash: z.string(),
    size: count,
    /** Number of lines of the file. */
    lines: count,
    ranges: z.array(explainedRangeSchema),
    writes: z.array(explainedWriteSchema),
    /** Text of the line, if a single line is explained. */
    text: z.string().optional(),
  })
  .meta({ id: 'Explanation' });
export type ExplanationResponse = z.infer<typeof explanationSchema>;
