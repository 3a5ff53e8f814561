import { z } from 'zod';

/** Patterns in which a phase can be stuck. */
export const stuckPatterns = ['same-call', 'alternation', 'no-news', 'errors', 'monologue', 'no-progress'] as const;
export type StuckPattern = (typeof stuckPatterns)[number];

/** Measures against a stuck phase, mildest first. */
export const stuckRungs = ['nudge', 'rewind', 'fail', 'person'] as const;
export type StuckRung = (typeof stuckRungs)[number];

const threshold = z.int().min(0).max(10_000);

/**
 * When a phase counts as stuck, and what is done then. Most thresholds count steps without anything new; 0 turns a pattern
 * off. The defaults were chosen on the labelled runs of labs/stuck/src.
 */
export const stuckSettingsSchema = z.strictObject({
  enabled: z.boolean().default(true),
  /** Number of times the same call returned the same result. */
  sameCall: threshold.default(4),
  /** Rounds of a cycle of two or more calls. */
  cycleRounds: threshold.default(3),
  /** Steps in a row, with any calls, that returned only known results. */
  noNews: threshold.default(6),
  /** Steps in a row whose calls all failed. */
  errors: threshold.default(6),
  /** Answers in a row without a call. */
  monologue: threshold.default(3),
  /** Steps since the last completed todo, regardless of their results. */
  noProgress: threshold.default(60),
  /** Replaces `sameCall`, `cycleRounds` and `noNews` while the phase waits for something that is not ready. */
  waitingSteps: threshold.default(40),
  /** Measures taken one after the other while the phase stays stuck. Empty: none. */
  rungs: z.array(z.enum(stuckRungs)).default(['nudge', 'rewind', 'fail', 'person']),
  /** Milliseconds after which a job that waits for a person fails; one day by default. */
  personTimeoutMs: z.int().min(1_000).max(31_536_000_000).default(86_400_000),
});
export type StuckSettings = z.infer<typeof stuckSettingsSchema>;

/** Settings of a phase whose agent defines none. */
export const DEFAULT_STUCK_SETTINGS: StuckSettings = Object.freeze(stuckSettingsSchema.parse({}));
