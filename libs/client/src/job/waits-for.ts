import { callIdSchema, processIdSchema } from '@phaseline/contracts';
import { z } from 'zod';

/** What a job waits for before it can continue. A job that has ended waits for nothing. */
export const waitsForSchema = z
  .object({
    /**
     * `lease`: a process works on it · `message`: a worker must take it from a queue · `import`: its repository is imported · `timer` · `approval`: a person must approve a
     * call · `question`: a person must answer a question · `pause`: a person must resume it · `slot`: its tenant has no free slot · `decision`: the orchestrator must decide ·
     * `quarantine`: it failed repeatedly in the same way and was quarantined
     */
    kind: z.enum([
      'lease',
      'message',
      'import',
      'timer',
      'approval',
      'question',
      'child',
      'pause',
      'slot',
      'decision',
      'quarantine',
    ]),
    /** Description for people; completes "waits for …". */
    description: z.string(),
    /** Time of the job's last event. */
    since: z.iso.datetime().optional(),
    /** When a timer fires, an approval expires or a question times out, or when a phase gives up on an unavailable model server. */
    until: z.iso.datetime().optional(),
    /** For an approval or a question: id of the call to approve, refuse or answer. */
    callId: callIdSchema.optional(),
    /** For a lease: id of the process that holds it. */
    leaseOwner: processIdSchema.optional(),
    /** Set if the wait will not end by itself: the reason, or what is being done about it. */
    problem: z.string().optional(),
    /** Command that ends the wait, where one does. */
    command: z.string().optional(),
  })
  .meta({ id: 'WaitsFor' });
export type WaitsFor = z.infer<typeof waitsForSchema>;
