import { z } from 'zod';
import { jobIdSchema, streamIdSchema } from '../ids/ids.js';
import { jobSelection, startedMessageSchema } from './job-selection.js';

/** Which recorded jobs are decided again with the installed release. */
export const releaseCheckRequestSchema = z.strictObject({ kind: z.literal('release-check'), ...jobSelection });

/** A decision that the installed version makes in another way than the version that recorded it. */
const decisionDifferenceSchema = z.object({
  /** What decided it, such as `prompt` or `admission`. */
  decider: z.string(),
  jobId: jobIdSchema,
  streamId: streamIdSchema,
  /** Version in its stream of the recorded event, or of the one that would follow the last. */
  version: z.int().min(1),
  /** Type of the recorded event; absent if the installed version records one more. */
  recorded: z.string().optional(),
  /** Type of the event that the installed version records; absent if it records one less. */
  decided: z.string().optional(),
  /** The members that differ, of two events of the same type. Long values are shortened. */
  members: z.array(z.object({ path: z.string(), recorded: z.string().optional(), decided: z.string().optional() })),
});

/** What was found in one job. */
export const jobCheckSchema = z.object({
  jobId: jobIdSchema,
  /** What the engine and people appended together. */
  commits: z.int().min(0),
  /** Events that were decided again. */
  decisions: z.int().min(0),
  differences: z.array(decisionDifferenceSchema),
  /** Commits that could not be decided again, by reason. */
  unknown: z.record(z.string(), z.int()),
  /** Why the job could not be checked to its end: it cannot be read. */
  unreadable: z.string().optional(),
});

/** What the program prints for a check, one message per line. */
export const releaseCheckMessageSchema = z.discriminatedUnion('kind', [
  startedMessageSchema,
  z.object({ kind: z.literal('checked'), check: jobCheckSchema }),
]);

export type DecisionDifference = z.infer<typeof decisionDifferenceSchema>;
export type JobCheck = z.infer<typeof jobCheckSchema>;
export type ReleaseCheckMessage = z.infer<typeof releaseCheckMessageSchema>;
