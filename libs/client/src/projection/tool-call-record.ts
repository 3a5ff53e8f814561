import { callIdSchema, jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { queryInteger, queryPosition } from '../http/query-values.js';

const count = z.int().min(0);

/** Query of `GET /v1/tool-calls`. */
export const toolCallsQuerySchema = z
  .strictObject({
    jobId: jobIdSchema,
    phase: queryInteger({ min: 1, max: 1_000_000 }).optional(),
    /** Only calls after this position: `next` of the previous page. */
    after: queryPosition().default(0),
    limit: queryInteger({ min: 1, max: 1_000 }).default(200),
  })
  .meta({ id: 'ToolCallsQuery' });
export type ToolCallsQuery = z.infer<typeof toolCallsQuerySchema>;

/** Current or final state of one tool call. */
export const toolCallRecordSchema = z
  .object({
    jobId: jobIdSchema,
    phase: z.int().min(1),
    callId: callIdSchema,
    /** Position of the event that requested the call. */
    position: count,
    step: z.int().min(1),
    name: z.string(),
    lane: z.enum(['inline', 'remote']).optional(),
    effect: z.enum(['pure', 'idempotent', 'once']).optional(),
    /** `refused`: a person refused it · `interrupted`: its phase ended before the call did. */
    status: z.enum([
      'waiting-for-approval',
      'waiting-for-input',
      'open',
      'completed',
      'failed',
      'denied',
      'refused',
      'interrupted',
    ]),
    /** Error code of a failed or denied call. */
    code: z.string().optional(),
    /** Structured result of a call whose tool declares one, such as exit code and output of a command; absent in encrypted jobs. */
    result: z.record(z.string(), z.unknown()).optional(),
    attempts: count.optional(),
    durationMs: count.optional(),
    requestedAt: z.iso.datetime(),
    startedAt: z.iso.datetime().optional(),
    endedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'ToolCallRecord' });
export type ToolCallRecord = z.infer<typeof toolCallRecordSchema>;

/** A page of tool calls in the order in which they were requested. */
export const toolCallPageSchema = z
  .object({ items: z.array(toolCallRecordSchema), nextAfter: count.optional() })
  .meta({ id: 'ToolCallPage' });
export type ToolCallPage = z.infer<typeof toolCallPageSchema>;
