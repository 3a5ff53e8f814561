import { z } from 'zod';

/** What a phase can be seen to do in place of its work. */
export const stuckPatterns = ['same-call', 'alternation', 'no-news', 'errors', 'monologue', 'no-progress'] as const;
export type StuckPattern = (typeof stuckPatterns)[number];

/** What is done about it, gentlest first. */
export const stuckRungs = ['nudge', 'rewind', 'fail', 'person'] as const;
export type StuckRung = (typeof stuckRungs)[number];

const threshold = z.int().min(0).max(10_000);

/**
 * When a phase counts as stuck, and what is done then. The thresholds count steps in which nothing came that was not there
 * before; 0 turns a pattern off. The defaults were chosen on the labelled runs of libs/testing/src/stuck.
 */
export const stuckSettingsSchema = z.strictObject({
  enabled: z.boolean().default(true),
  /** The same call with the same result, so many times. */
  sameCall: threshold.default(4),
  /** Rounds of a cycle of two and more calls. */
  cycleRounds: threshold.default(3),
  /** Steps in a row that bring back only what is known, by whatever calls. */
  noNews: threshold.default(6),
  /** Steps in a row whose calls all failed. */
  errors: threshold.default(6),
  /** Answers in a row without a call. */
  monologue: threshold.default(3),
  /** Steps since a todo was completed, however much they brought. */
  noProgress: threshold.default(60),
  /** In place of `sameCall`, `cycleRounds` and `noNews` while the phase waits for something that says it is not ready. */
  patience: threshold.default(40),
  /** What is done, one after the other, while the phase stays stuck. Without any, nothing is. */
  rungs: z.array(z.enum(stuckRungs)).default(['nudge', 'rewind', 'fail', 'person']),
  /** A job that waits for a person this long, in milliseconds, fails; a day by default. */
  personWithinMs: z.int().min(1_000).max(31_536_000_000).default(86_400_000),
});
export type StuckSettings = z.infer<typeof stuckSettingsSchema>;

/** What a phase runs by whose agent says nothing about it. */
export const DEFAULT_STUCK_SETTINGS: StuckSettings = Object.freeze(stuckSettingsSchema.parse({}));
