import { z } from 'zod';
import { jobIdSchema, streamIdSchema } from '../ids/ids.js';

/** Which recorded jobs are decided again. Without a job: the newest ones. */
export const releaseCheckRequestSchema = z.strictObject({
  job: jobIdSchema.optional(),
  agent: z.string().optional(),
  /** Jobs that were submitted at or after this time. ISO 8601. */
  since: z.iso.datetime().optional(),
  /** Maximum number of jobs. */
  limit: z.int().min(1),
});

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
const jobCheckSchema = z.object({
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

/** What the program prints, one message per line. */
export const releaseCheckMessageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('started'), release: z.string(), jobs: z.int().min(0) }),
  z.object({ kind: z.literal('checked'), check: jobCheckSchema }),
]);

export type ReleaseCheckRequest = z.infer<typeof releaseCheckRequestSchema>;
export type DecisionDifference = z.infer<typeof decisionDifferenceSchema>;
export type JobCheck = z.infer<typeof jobCheckSchema>;
export type ReleaseCheckMessage = z.infer<typeof releaseCheckMessageSchema>;
