import { z } from 'zod';
import { queryPosition } from '../http/query-values.js';

/** The query of everything that can be asked about the past: `at` is a position in the log, now where it is missing. */
export const atQuerySchema = z.strictObject({ at: queryPosition().optional() }).meta({ id: 'AtQuery' });
export type AtQuery = z.infer<typeof atQuerySchema>;

const foldedState = z.record(z.string(), z.unknown());

/** What the job's events up to a position fold to. The inner shapes are those of `libs/domain` and grow with it. */
export const jobStateSchema = z
  .object({
    jobId: z.uuid(),
    /** Of the last event that was folded. */
    position: z.int().min(0),
    job: foldedState,
    /** The phase that the job was in, if any. */
    phase: foldedState.optional(),
  })
  .meta({ id: 'JobState' });
export type JobState = z.infer<typeof jobStateSchema>;
