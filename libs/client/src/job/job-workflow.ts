import { jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';

/** The workflow of a job as a graph, for drawing. */
export const jobWorkflowSchema = z
  .object({
    jobId: jobIdSchema,
    name: z.string(),
    version: z.int(),
    /** The state in which the job begins. */
    start: z.string(),
    states: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        kind: z.enum(['strategic', 'tactical']),
        /** Agent of the phases of this state; absent if it is the agent of the job. */
        agent: z.string().optional(),
      }),
    ),
    /** One per outcome of a state; an outcome that depends on items of a loop has two. */
    transitions: z.array(
      z.object({
        from: z.string(),
        outcome: z.string(),
        /** The next state; absent if the outcome ends the job. */
        to: z.string().optional(),
        /** How the outcome ends the job. */
        end: z.enum(['completed', 'failed', 'blocked', 'aborted', 'cancelled']).optional(),
        /** When this is not the only transition of the outcome: `none` if no item of the loop is left. */
        condition: z.literal('none').optional(),
        /** What is checked before the transition. */
        gates: z.array(z.string()),
        /** Whether the work is handed over to the agent of the next state. */
        isHandoff: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'JobWorkflow' });
export type JobWorkflow = z.infer<typeof jobWorkflowSchema>;
