import { z } from 'zod';
import { jobIdSchema } from '../ids/ids.js';

/**
 * Messages between orchestrators and workers about answers that models are writing. They are sent with NOTIFY, are never stored, and may
 * get lost; the answer in the log is authoritative.
 */

/** An orchestrator tells all workers which jobs it watches. It repeats this as long as people watch. */
export const answerWatchSchema = z.object({
  jobIds: z.array(jobIdSchema),
  /** Jobs of which it needs the answer from its beginning. */
  fromBeginning: z.array(jobIdSchema),
});
export type AnswerWatch = z.infer<typeof answerWatchSchema>;

/** A piece of an answer, from the worker that receives it from its model. */
export const answerPieceSchema = z.object({
  jobId: jobIdSchema,
  /** Names one attempt at a model call. Text of another attempt is void. */
  attemptId: z.string(),
  phase: z.int().min(1),
  step: z.int().min(1),
  /** Number of the attempt at the call, counted from 1. */
  attempt: z.int().min(1),
  /** What the call is for, if it is not a step of the work. */
  purpose: z.enum(['summary', 'judge', 'reflection']).optional(),
  /** Number of UTF-16 code units of the answer before this piece. */
  offset: z.int().min(0),
  text: z.string(),
  /** Set on the last piece. */
  hasEnded: z.literal(true).optional(),
});
export type AnswerPiece = z.infer<typeof answerPieceSchema>;
