import { z } from 'zod';
import { queryInteger, queryPosition } from '../http/query-values.js';

const count = z.int().min(0);

/** The query of `GET /v1/tool-calls`. */
export const toolCallsQuerySchema = z
  .strictObject({
    job: z.uuid(),
    phase: queryInteger({ min: 1, max: 1_000_000 }).optional(),
    /** Only calls behind this position: `next` of the page before. */
    after: queryPosition().default(0),
    limit: queryInteger({ min: 1, max: 1_000 }).default(200),
  })
  .meta({ id: 'ToolCallsQuery' });
export type ToolCallsQuery = z.infer<typeof toolCallsQuerySchema>;

/** One call of a tool, as it is or as it ended. */
export const toolCallRecordSchema = z
  .object({
    jobId: z.uuid(),
    phase: z.int().min(1),
    callId: z.string(),
    /** In the log, of the event that it began with. */
    position: count,
    step: z.int().min(1),
    name: z.string(),
    lane: z.enum(['log', 'runner']).optional(),
    effect: z.enum(['pure', 'idempotent', 'once']).optional(),
    /** `waiting`: for a person. `refused`: by one. `cut`: its phase ended first. */
    status: z.enum(['waiting', 'open', 'completed', 'failed', 'denied', 'refused', 'cut']),
    /** Of a call that failed or was denied. */
    code: z.string().optional(),
    attempts: count.optional(),
    durationMs: count.optional(),
    requestedAt: z.iso.datetime(),
    startedAt: z.iso.datetime().optional(),
    endedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'ToolCallRecord' });
export type ToolCallRecord = z.infer<typeof toolCallRecordSchema>;

/** In the order in which they were asked for. */
export const toolCallPageSchema = z
  .object({ items: z.array(toolCallRecordSchema), next: count.optional() })
  .meta({ id: 'ToolCallPage' });
export type ToolCallPage = z.infer<typeof toolCallPageSchema>;
