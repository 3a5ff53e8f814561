import type { KeptDays } from '@phaseline/orchestration';
import { wholeNumber } from '@phaseline/service';
import { z } from 'zod';

const MAX_DAYS = 36_500;

function keptDays(what: string, byDefault: number): ReturnType<typeof wholeNumber> {
  return wholeNumber(`the days that ${what} are kept`, { min: 1, max: MAX_DAYS, default: byDefault });
}

/** Settings of how long rows are kept that nothing needs any more. What belongs to a tenant has settings per tenant instead. */
export const cleaningFields = {
  PHASELINE_KEEP_SNAPSHOTS_DAYS: keptDays('snapshots of ended jobs', 30),
  PHASELINE_KEEP_CALL_RESULTS_DAYS: keptDays('results of graph calls of ended jobs', 30),
  /** A later job that states the same requirement writes it again, so nothing is removed unless an administrator says so. */
  PHASELINE_KEEP_REQUIREMENTS_DAYS: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(MAX_DAYS)
    .optional()
    .describe(
      `the days that ended requirements of the cache are kept after the end of their jobs; without it, for ever: a whole number from 1 to ${MAX_DAYS}`,
    ),
  PHASELINE_KEEP_DEAD_LETTERS_DAYS: keptDays('dead letters that were retried or discarded', 90),
  PHASELINE_KEEP_RETENTION_RUNS_DAYS: keptDays('ended runs of retention', 90),
};

/** Returns the settings by table. */
export function toKeptDays(config: z.output<z.ZodObject<typeof cleaningFields>>): KeptDays {
  return {
    snapshots: config.PHASELINE_KEEP_SNAPSHOTS_DAYS,
    graph_calls: config.PHASELINE_KEEP_CALL_RESULTS_DAYS,
    cached_requirements: config.PHASELINE_KEEP_REQUIREMENTS_DAYS,
    dead_letters: config.PHASELINE_KEEP_DEAD_LETTERS_DAYS,
    retention_runs: config.PHASELINE_KEEP_RETENTION_RUNS_DAYS,
  };
}
