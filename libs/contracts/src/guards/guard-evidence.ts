import { z } from 'zod';
import { jobIdSchema, streamIdSchema } from '../ids/ids.js';
import { amountSchema } from '../what-if/amount.js';

/** What a promotion can be based on, each with a sentence for the person who chooses one. */
export const promotionCauses = {
  outcomes_worse: 'Outcomes got worse: more failures, refusals or corrections than before.',
  inputs_changed: 'The inputs changed: agents receive other tasks, documents or data than before.',
  new_ability: 'There is a new ability: a tool, model or agent that can do what nothing could before.',
  tool_use: 'The use of a tool changed: agents call it more often, or in another way.',
} as const;
export type PromotionCause = keyof typeof promotionCauses;

const causeNames = Object.keys(promotionCauses) as [PromotionCause, ...PromotionCause[]];

/** What a change of a stage is based on. */
export const promotionBasisSchema = z.object({
  cause: z.enum(causeNames),
  /** The figure that shows the cause, such as "5 of 6 approvals refused since Monday". */
  figure: z.string(),
});
export type PromotionBasis = z.infer<typeof promotionBasisSchema>;

/** Number of outcomes that a backtest needs if the file of the guard does not say it. */
export const DEFAULT_MIN_LABELLED = 30;

const count = z.int().min(0);

/** When a version should be taken out of production. */
export const guardLimitsSchema = z.object({
  /** Number of overrides that are allowed since the version is in production. */
  maxOverrides: count.optional(),
  /** Number of failed jobs that are allowed in which the version denied something. */
  maxFailedJobs: count.optional(),
  /** Whether the system rolls the version back by itself when a limit is exceeded. */
  automatic: z.boolean(),
});
export type GuardLimits = z.infer<typeof guardLimitsSchema>;

/** Maximum number of hits that the figures of a backtest name. */
export const MAX_BACKTEST_EXAMPLES = 5;

/** A hit that the figures name. It contains no texts of the job, because the log of a guard outlives the jobs. */
const backtestExampleSchema = z.object({
  jobId: jobIdSchema,
  streamId: streamIdSchema,
  /** Version in its stream of the event at which the guard decides. */
  position: z.int().min(1),
  /** Absent at the end of a phase. */
  tool: z.string().optional(),
  /** What the guard would have decided. */
  effect: z.string(),
  /** What became of the call or the claim. */
  became: z.string(),
});

/** Result of recorded cases that were run without the guard and with it. */
export const guardCasesSchema = z.object({
  /** Number of cases that pass with the guard. */
  passed: count,
  /** Names of cases that pass without the guard, and fail with it. */
  broken: z.array(z.string().min(1).max(200)).max(1_000),
});

/** What a backtest of a stored guard found. */
export const backtestFiguresSchema = z.object({
  jobs: count,
  /** Calls and claims about which the guard was asked. */
  calls: count,
  /** Those about which it decides something. */
  hits: count,
  /** Hits about calls that succeeded, in jobs that completed. */
  possiblyWrong: count,
  /** Compared calls and claims whose outcome is known: the job completed or failed, or a person decided about the call. */
  labelled: count,
  /** What the possibly wrong hits would have cost if all of them are wrong. */
  moneyAtRisk: z.object({ atLeast: amountSchema, atMost: amountSchema }),
  /** Which jobs were read. */
  upTo: z.object({
    /** When they were read. */
    until: z.iso.datetime(),
    /** Jobs that were submitted at or after this time. */
    since: z.iso.datetime().optional(),
    agent: z.string().optional(),
  }),
  /** False if a job was left out or could not be read to its end, or if the guard could not be asked at one of its points. */
  isComplete: z.boolean(),
  /** Hits, possibly wrong ones first. */
  examples: z.array(backtestExampleSchema).max(MAX_BACKTEST_EXAMPLES),
  /** As the client reports that ran the cases; absent if none were run. */
  cases: guardCasesSchema.optional(),
});
export type BacktestFigures = z.infer<typeof backtestFiguresSchema>;
