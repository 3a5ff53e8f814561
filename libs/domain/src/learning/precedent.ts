import { eventIdSchema } from '@phaseline/contracts';
import { z } from 'zod';

/** Maximum number of learning traces with which a phase begins. */
export const MAX_PRECEDENTS = 3;

/** A promoted learning trace of another job, as the prompts of a phase quote it. */
export const precedentSchema = z.object({
  /** Id of the learning trace. */
  trace: eventIdSchema,
  scope: z.enum(['project', 'universal']),
  /** What the prompts quote, on one line. A later change of the learning trace does not change it. */
  text: z.string(),
});
export type Precedent = Readonly<z.infer<typeof precedentSchema>>;
