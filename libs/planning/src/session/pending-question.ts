import { z } from 'zod';
import { sentencesSchema, titleSchema } from '../artifacts/fields.js';
import { draftStages, planStages } from './plan-stage.js';

/** A way out that a person can choose. `id` is a short word for replies. */
const choiceSchema = z.strictObject({ id: titleSchema, title: sentencesSchema });
export type Choice = z.infer<typeof choiceSchema>;

const stage = z.enum(draftStages);

/** Why a plan waits for its person. Each kind says where the plan continues after the answer. */
export const pendingQuestionSchema = z.discriminatedUnion('kind', [
  /** Facts, or the style of the conversation. */
  z.strictObject({ kind: z.literal('facts'), questions: z.array(sentencesSchema).min(1).max(20) }),
  /** The artifact of a stage has violations that only a person can resolve, or was drafted too often. */
  z.strictObject({ kind: z.literal('invalid'), stage, problems: z.array(sentencesSchema).min(1).max(20) }),
  /** The planner is not confident enough to continue alone. */
  z.strictObject({ kind: z.literal('uncertain'), stage: z.enum(planStages), reason: sentencesSchema }),
  /** A proposed pattern waits for its approval. */
  z.strictObject({ kind: z.literal('proposal'), rfcText: sentencesSchema, nearest: titleSchema }),
  /** The person chooses one of several options of a stage. */
  z.strictObject({ kind: z.literal('option'), stage, choices: z.array(choiceSchema).min(2).max(10) }),
  /** The person is asked before suggested fixes are applied. */
  z.strictObject({ kind: z.literal('fixes'), stage, fixes: z.array(sentencesSchema).min(1).max(20) }),
  /** The plan does not fit, or no answer was found within the search limit. */
  z.strictObject({
    kind: z.literal('infeasible'),
    code: z.enum(['infeasible', 'search_limit']),
    conflict: sentencesSchema,
    choices: z.array(choiceSchema).max(10),
  }),
  /** Nobody answered a request for approval in time. */
  z.strictObject({ kind: z.literal('no_response') }),
  /** A limit of money was reached that allows the plan to continue later. */
  z.strictObject({
    kind: z.literal('budget'),
    code: z.enum(['daily_cap', 'turn_cost']),
    summary: sentencesSchema.optional().describe('What the plan has so far, and what the turn cost'),
  }),
]);
export type PendingQuestion = z.infer<typeof pendingQuestionSchema>;
