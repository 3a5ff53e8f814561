import { z } from 'zod';

/**
 * What a job waits for, as lists know it. A person: `approval`, `question`, `todo` (one is blocked), `pause`, `blocked` (the job ended
 * so) · `child`: a child job · `orchestrator`: a slot, an import, a timer or a decision · `worker`: a model call or a tool
 */
export const jobWaitKindSchema = z.enum([
  'approval',
  'question',
  'todo',
  'pause',
  'blocked',
  'child',
  'orchestrator',
  'worker',
]);
export type JobWaitKind = z.infer<typeof jobWaitKindSchema>;

/** What a job waits for, and since when without interruption. */
export const jobWaitSchema = z.object({ kind: jobWaitKindSchema, since: z.iso.datetime() }).meta({ id: 'JobWait' });
export type JobWait = z.infer<typeof jobWaitSchema>;
