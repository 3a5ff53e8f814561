import { z } from 'zod';
import { contentHashSchema, sentencesSchema, titleSchema } from '../artifacts/fields.js';
import { planContextSchema } from '../artifacts/plan-context.js';
import { planOutlineSchema } from '../artifacts/plan-outline.js';
import { roadmapSchema } from '../artifacts/roadmap.js';

/** What a choice changes: the artifact as it is after it. It was found to have a schedule. */
const changeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('context'), artifact: planContextSchema }),
  z.strictObject({ kind: z.literal('outline'), artifact: planOutlineSchema }),
  z.strictObject({ kind: z.literal('roadmap'), artifact: roadmapSchema }),
]);

/** Why a roadmap has no schedule, and what would help, as ScheduleGenerator stores it. */
export const scheduleConflictSchema = z.object({
  /** Roadmap for which there is no schedule. */
  roadmapHash: contentHashSchema,
  code: z.enum(['infeasible', 'search_limit']),
  text: sentencesSchema,
  choices: z.array(z.strictObject({ id: titleSchema, title: sentencesSchema, change: changeSchema })).max(10),
});
export type ScheduleConflict = z.infer<typeof scheduleConflictSchema>;
