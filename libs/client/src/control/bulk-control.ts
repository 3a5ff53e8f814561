import { z } from 'zod';
import { jobIdSchema, wellFormedText } from '@phaseline/contracts';
import { jobConditionsSchema } from '../job/list-jobs.js';

/** Maximum number of jobs that one request changes. */
export const MAX_BULK_JOBS = 500;

export const bulkRequestSchema = z
  .strictObject({
    action: z.enum(['pause', 'resume', 'cancel', 'retry', 'steer']),
    /** The jobs, or else a filter. */
    jobIds: z.array(jobIdSchema).min(1).max(MAX_BULK_JOBS).optional(),
    /** Selects at most 500 jobs, oldest first. `{}` selects all. */
    filter: jobConditionsSchema.optional(),
    /** With a filter: `nextCursor` of the previous response, to continue with the jobs that were left. */
    cursor: z.string().min(1).max(500).optional(),
    /** With a filter: refused if more jobs match. Counted from the cursor. */
    expectedCount: z.int().min(0).optional(),
    /** Stored in the event log and shown to people. Not for `steer`. */
    reason: wellFormedText().max(2_000).optional(),
    /** For `steer`: the message that the agents read before their next step. */
    message: wellFormedText().min(1).max(20_000).optional(),
    /** Only says which jobs would be changed. */
    dryRun: z.boolean().optional(),
  })
  .refine(({ jobIds, filter }) => (jobIds === undefined) !== (filter === undefined), {
    path: ['filter'],
    error: 'expected either jobIds or filter',
  })
  .refine(({ action, message }) => (action === 'steer') === (message !== undefined), {
    path: ['message'],
    error: 'expected for the action steer, and only for it',
  })
  .refine(({ filter, cursor, expectedCount }) => filter || (cursor === undefined && expectedCount === undefined), {
    path: ['filter'],
    error: 'expected with cursor and expectedCount',
  })
  .meta({ id: 'BulkRequest' });
export type BulkRequest = z.infer<typeof bulkRequestSchema>;
export type BulkAction = BulkRequest['action'];

/** What became of the request for one job. */
const bulkOutcomeSchema = z
  .object({
    jobId: jobIdSchema,
    /** `done`: recorded, or there was nothing to change · `refused`: see `code` · `selected`: would be requested without `dryRun` */
    outcome: z.enum(['done', 'refused', 'selected']),
    /** For `done`: false if the job was already in the requested state and nothing was recorded. */
    changed: z.boolean().optional(),
    /** For `refused`: a problem code of the API, and what to do. */
    code: z.string().optional(),
    message: z.string().optional(),
  })
  .meta({ id: 'BulkOutcome' });
export type BulkOutcome = z.infer<typeof bulkOutcomeSchema>;

export const bulkResponseSchema = z
  .object({
    outcomes: z.array(bulkOutcomeSchema),
    /** Number of jobs that match the filter and were left; they are those after `nextCursor`. At most about 100,000 are counted. */
    remaining: z.int().min(0),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'BulkResponse' });
export type BulkResponse = z.infer<typeof bulkResponseSchema>;
