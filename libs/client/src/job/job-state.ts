import { jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { workspaceFileSchema } from '../file/workspace-file.js';
import { queryPosition } from '../http/query-values.js';
import { usageSchema } from './job-summary.js';

/** Query of the routes that can return past states. `at` is a position in the event log; without it, the current state is returned. */
export const atQuerySchema = z.strictObject({ at: queryPosition().optional() }).meta({ id: 'AtQuery' });
export type AtQuery = z.infer<typeof atQuerySchema>;

const foldedState = z.record(z.string(), z.unknown());

/** State folded from the job's events up to a position. The inner shapes are those of `libs/domain`. */
export const jobStateSchema = z
  .object({
    jobId: jobIdSchema,
    /** Position of the last event that was folded. */
    position: z.int().min(0),
    job: foldedState,
    /** State of the current phase, if there is one. */
    phase: foldedState.optional(),
    /** All phases dispatched by then, in order. */
    phases: z.array(foldedState),
    /** Files in the workspace, ordered by path. */
    files: z.array(workspaceFileSchema),
    /** Usage of all phases, including the running one. */
    usage: usageSchema,
  })
  .meta({ id: 'JobState' });
export type JobStateResponse = z.infer<typeof jobStateSchema>;
