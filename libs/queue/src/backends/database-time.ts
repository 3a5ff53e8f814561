/** The time of the database in epoch milliseconds, as BullMQ's functions take it. */
export const databaseNow = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Which parameters of BullMQ's functions carry the caller's `Date.now()`, from `$1` on. Read from the functions of bullmq 6.7.0;
 * `database-time.unit.spec.ts` fails when a release adds one. Not listed: functions that this library never calls (schedulers,
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

/** A statement of BullMQ whose times are the database's, and how its parameters follow from those that BullMQ gave. */
export interface RewrittenStatement {
  readonly text: string;
  readonly values: (given: readonly unknown[]) => unknown[];
}

/**
 * BullMQ passes the caller's clock into its functions. A process whose clock is ahead then writes locks that end in the future,
 * messages that are due too late, and, worst, the time of the last search for dead workers' messages: until the other processes
 * reach that time they search no more. So every time in a statement is taken from the database, and what comes back to be
 * waited for is given in the caller's time.
 */
export function withDatabaseTime(text: string): RewrittenStatement {
  const same = (given: readonly unknown[]): unknown[] => [...given];
  const call = functionCall.exec(text)?.[1];
  if (call !== undefined) return { text: replaceParameters(text, timeParameters[call]!), values: same };
  // The time at which the message is due is the caller's clock plus a delay; the delay is a parameter of its own.
  if (/\bmove_to_delayed\s*\(/.test(text))
    return { text: replaceParameter(text, 4, `coalesce(${databaseNow} + $5::bigint, $4::bigint)`), values: same };
  // No function: an UPDATE that adds the duration ($4) to the caller's time ($5).
  if (/\bSET locked_until_ms = \$5::bigint \+ \$4::bigint/.test(text))
    return { text: replaceParameters(text, [5]), values: same };
  // The worker compares the answer with its own clock.
  if (/\bnext_signal\s*\(/.test(text))
    return {
      text: `SELECT rate_limit_ttl, next_delay - ${databaseNow} + $3::bigint AS next_delay FROM next_signal($1, $2, ${databaseNow})`,
      values: same,
    };
  if (/\bnext_delay\s*\(\$1\)/.test(text))
    return {
      text: `SELECT next_delay($1) - ${databaseNow} + $2::bigint AS next_delay`,
      values: (given) => [...given, Date.now()],
    };
  return { text, values: same };
}

/** Keeps the parameters, so that the others need no new numbers: `coalesce` never gets to them. */
function replaceParameters(text: string, parameters: readonly number[]): string {
  return parameters.reduce(
    (rewritten, parameter) => replaceParameter(rewritten, parameter, `coalesce(${databaseNow}, $${parameter}::bigint)`),
    text,
  );
}

/** Leaves the comments in front of a statement alone, which name the parameters too. */
function replaceParameter(text: string, parameter: number, by: string): string {
  return text.replace(new RegExp(`(?<!--[^\\n]*)\\$${parameter}(?!\\d)(::bigint)?`), () => by);
}
