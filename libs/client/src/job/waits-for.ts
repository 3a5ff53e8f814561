import { z } from 'zod';

/** Who or what has to act next for a job to go on. A job that has ended waits for nothing. */
export const waitsForSchema = z
  .object({
    /**
     * `lease`: a process works on it · `message`: a worker has to take it from a queue · `timer` · `approval`: a person has to
     * allow a call · `pause`: somebody has to resume it · `slot`: its tenant has no free place · `decision`: the orchestrator
     * has to decide · `person`: it failed again and again in the same way and was set aside
     */
    kind: z.enum(['lease', 'message', 'timer', 'approval', 'pause', 'slot', 'decision', 'person']),
    /** For people; completes "waits for …". */
    text: z.string(),
    /** When its log moved last. */
    since: z.iso.datetime().optional(),
    /** Of a timer or an approval: when it is over. Of a model server that is away: when the phase gives up. */
    until: z.iso.datetime().optional(),
    /** Of an approval: the call to allow or to refuse. */
    callId: z.string().optional(),
    /** Of a lease: the process. */
    holder: z.string().optional(),
    /** Why what is waited for will not come by itself at the moment, or what is being done about it. */
    problem: z.string().optional(),
  })
  .meta({ id: 'WaitsFor' });
export type WaitsFor = z.infer<typeof waitsForSchema>;
