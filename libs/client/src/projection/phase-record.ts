import { jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { usageSchema } from '../job/job-summary.js';

const count = z.int().min(0);

/** Query of `GET /v1/phases`. */
export const phasesQuerySchema = z.strictObject({ jobId: jobIdSchema }).meta({ id: 'PhasesQuery' });
export type PhasesQuery = z.infer<typeof phasesQuerySchema>;

/** Current or final state of one phase of a job. */
export const phaseRecordSchema = z
  .object({
    jobId: jobIdSchema,
    phase: z.int().min(1),
    attempt: z.int().min(1),
    kind: z.enum(['strategic', 'tactical']),
    state: z.string(),
    name: z.string(),
    /** Name of the model profile. */
    model: z.string().optional(),
    status: z.enum(['running', 'completed', 'failed', 'cancelled']),
    /** Outcome in the workflow of a completed phase, or error code of a failed one. */
    outcome: z.string().optional(),
    todosDone: count,
    todosTotal: count,
    /** Number of times that a gate refused its completion. */
    rejections: count,
    /** Number of times that another worker took it over. */
    takeovers: count,
    usage: usageSchema,
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'PhaseRecord' });
export type PhaseRecord = z.infer<typeof phaseRecordSchema>;

export const phaseListSchema = z.object({ items: z.array(phaseRecordSchema) }).meta({ id: 'PhaseList' });
export type PhaseList = z.infer<typeof phaseListSchema>;
