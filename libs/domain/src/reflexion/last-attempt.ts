import { z } from 'zod';

/** What is attempted again: a feature of a loop, a phase that the job retries itself, or a job that a person retries. */
const attemptKinds = ['feature', 'phase', 'job'] as const;

/** What is known of an attempt that failed, for the reflection at the beginning of the next one. */
export const lastAttemptSchema = z.object({
  phase: z.int().min(1),
  kind: z.enum(attemptKinds),
  /** What was attempted. */
  task: z.string(),
  /** Why it failed. */
  reason: z.string(),
  /** The latest calls, oldest first. */
  calls: z.array(
    z.object({
      name: z.string(),
      arguments: z.string(),
      outcome: z.enum(['completed', 'failed', 'denied']),
      /** Beginning of what the model read. */
      result: z.string().optional(),
    }),
  ),
  /** Paths of the files that it changed, of those that it had to produce, and of those that its calls name. */
  files: z.array(z.string()),
  /** Names of the verifiers and test cases that it was held to. */
  tests: z.array(z.string()),
});
export type LastAttempt = z.infer<typeof lastAttemptSchema>;
