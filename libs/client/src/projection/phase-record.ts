import { z } from 'zod';
import { usageSchema } from '../job/job-summary.js';

const count = z.int().min(0);

/** The query of `GET /v1/phases`. */
export const phasesQuerySchema = z.strictObject({ job: z.uuid() }).meta({ id: 'PhasesQuery' });
export type PhasesQuery = z.infer<typeof phasesQuerySchema>;

/** One phase of a job, as it is or as it ended. */
export const phaseRecordSchema = z
  .object({
    jobId: z.uuid(),
    phase: z.int().min(1),
    attempt: z.int().min(1),
    kind: z.enum(['strategic', 'tactical']),
    state: z.string(),
    name: z.string(),
    /** Name of the model's profile. */
    model: z.string().optional(),
    status: z.enum(['running', 'completed', 'failed', 'cancelled']),
    /** Of a completed phase its outcome in the workflow, of a failed one the code of the failure. */
    outcome: z.string().optional(),
    todosDone: count,
    todosTotal: count,
    /** How often a gate refused its end, and how often another worker took it over. */
    rejections: count,
    takeovers: count,
    usage: usageSchema,
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'PhaseRecord' });
export type PhaseRecord = z.infer<typeof phaseRecordSchema>;

export const phaseListSchema = z.object({ items: z.array(phaseRecordSchema) }).meta({ id: 'PhaseList' });
export type PhaseList = z.infer<typeof phaseListSchema>;
