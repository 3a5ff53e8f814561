/** SQL expression for the database's time in epoch milliseconds, as a `bigint`. */
export const DATABASE_NOW_SQL = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Parameters of BullMQ's functions that carry the caller's `Date.now()`, numbered from `$1`. Taken from bullmq 6.7.0;
 * `database-time.unit.spec.ts` fails if a release adds one. Functions that this library never calls are not listed (schedulers,
 * flows, bulk inserts, metrics).
 */
const timeParameters: Readonly<Record<string, readonly number[]>> = {
  add_job: [8],
  move_to_active: [4],
  move_to_completed: [5],
  move_to_completed_fetch: [5, 10],
  move_to_failed: [6],
  move_to_failed_fetch: [6, 11],
  move_active_to_wait: [4],
  move_stalled_jobs_to_wait: [3],
  extend_lock: [5],
  change_delay: [4],
  remove_child_dependency: [4],
  set_rate_limit: [3],
  rate_limit_ttl: [3],
};

const functionCall = new RegExp(`\\b(${Object.keys(timeParameters).join('|')})\\s*\\(`);

/** A BullMQ statement that uses the database's time, and a function that maps BullMQ's parameter values to its own. */
export interface RewrittenStatement {
  readonly text: string;
  readonly values: (given: readonly unknown[]) => unknown[];
}

/**
 * Rewrites a BullMQ statement to use the database's time. BullMQ passes the caller's clock to its functions. A process whose clock is
 * ahead would write locks that expire too late, messages that are due too late, and a time of the last stalled check that stops the
 * other processes from checking until their clocks reach it. Times that BullMQ waits for are converted back to the caller's clock.
 */
export function withDatabaseTime(text: string): RewrittenStatement {
  const copyValues = (given: readonly unknown[]): unknown[] => [...given];
  const call = functionCall.exec(text)?.[1];
  if (call !== undefined) return { text: replaceParameters(text, timeParameters[call]!), values: copyValues };
  // The due time is the caller's clock plus the delay; the delay is also passed as a separate parameter.
  if (/\bmove_to_delayed\s*\(/.test(text))
    return {
      text: replaceParameter(text, 4, `coalesce(${DATABASE_NOW_SQL} + $5::bigint, $4::bigint)`),
      values: copyValues,
    };
  // Not a function call but an UPDATE that adds the duration ($4) to the caller's time ($5).
  if (/\bSET locked_until_ms = \$5::bigint \+ \$4::bigint/.test(text))
    return { text: replaceParameters(text, [5]), values: copyValues };
  // The worker compares the result with its own clock.
  if (/\bnext_signal\s*\(/.test(text))
    return {
      text: `SELECT rate_limit_ttl, next_delay - ${DATABASE_NOW_SQL} + $3::bigint AS next_delay FROM next_signal($1, $2, ${DATABASE_NOW_SQL})`,
      values: copyValues,
    };
  if (/\bnext_delay\s*\(\$1\)/.test(text))
    return {
      text: `SELECT next_delay($1) - ${DATABASE_NOW_SQL} + $2::bigint AS next_delay`,
      values: (given) => [...given, Date.now()],
    };
  return { text, values: copyValues };
}

/** Keeps the replaced parameters as unused arguments of `coalesce`, so that the others keep their numbers. */
function replaceParameters(text: string, parameters: readonly number[]): string {
  return parameters.reduce(
    (rewritten, parameter) =>
      replaceParameter(rewritten, parameter, `coalesce(${DATABASE_NOW_SQL}, $${parameter}::bigint)`),
    text,
  );
}

/** Skips the comments in front of a statement, which also name the parameters. */
function replaceParameter(text: string, parameter: number, replacement: string): string {
  return text.replace(new RegExp(`(?<!--[^\\n]*)\\$${parameter}(?!\\d)(::bigint)?`), () => replacement);
}
