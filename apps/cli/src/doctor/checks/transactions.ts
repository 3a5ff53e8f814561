import { formatAge, pluralise } from '../../output/quantities.js';
import { fail, ok, warn, type Check } from '../check.js';

/** A transaction open for more than this many times the limit is a failure. */
const FAILURE_FACTOR = 10;

interface OpenTransaction {
  readonly pid: number | null;
  readonly name: string | null;
  readonly login: string | null;
  readonly db: string | null;
  readonly state: string | null;
  readonly query: string | null;
  readonly age_ms: number | null;
}

/**
 * Lists transactions that have written and are still open, in any database of the server. Each holds back every reader of the log.
 * pg_locks shows them to every login; pg_stat_activity adds who and since when, as far as this login may see it.
 */
const OPEN_TRANSACTIONS = `
  SELECT l.pid, a.application_name AS name, a.usename AS login, a.datname AS db, a.state, left(a.query, 120) AS query,
         extract(epoch FROM clock_timestamp() - a.xact_start)::float8 * 1000 AS age_ms
    FROM pg_locks AS l LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
   WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted AND l.pid IS NOT NULL AND l.pid <> pg_backend_pid()
  UNION ALL
  SELECT NULL, p.gid, p.owner, p.database, 'prepared', NULL, extract(epoch FROM clock_timestamp() - p.prepared)::float8 * 1000
    FROM pg_prepared_xacts AS p
   ORDER BY age_ms DESC NULLS LAST`;

/** Counts committed events that no reader may see yet, because an older transaction is still open. */
const HELD_BACK = `
  SELECT count(*)::int AS events, extract(epoch FROM clock_timestamp() - min(recorded_at))::float8 * 1000 AS oldest_ms
    FROM (SELECT recorded_at FROM phaseline.events
           WHERE transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) ORDER BY transaction_id LIMIT 10000) AS e`;

/** Finds a transaction id in the log that this server has not reached yet: then the log was copied from another server. */
const AHEAD = `
  SELECT transaction_id::text AS transaction_id FROM phaseline.events
   WHERE transaction_id >= pg_snapshot_xmax(pg_current_snapshot()) ORDER BY transaction_id DESC LIMIT 1`;

/** Reports transactions that hold back the readers of the log. */
export const transactions: Check = {
  name: 'transactions',
  needs: ['schema'],
  run: async ({ pool, limits }) => {
    const { rows: ahead } = await pool.query<{ transaction_id: string }>(AHEAD);
    if (ahead[0])
      return fail(
        `the log holds transaction ${ahead[0].transaction_id}, which this server has not reached: it was copied from another server, and readers do not see all of it`,
        'stop the services and advance the server past that id: docs/how-to/backup.md, "Transaction ids"',
      );
    const { rows: open } = await pool.query<OpenTransaction>(OPEN_TRANSACTIONS);
    const { rows } = await pool.query<{ events: number; oldest_ms: number | null }>(HELD_BACK);
    const { events, oldest_ms: oldestMs } = rows[0]!;
    const [first] = open;
    const openMs = Math.max(first?.age_ms ?? 0, oldestMs ?? 0);
    if (!first || openMs < limits.transactionAgeMs) return ok('none open for long');
    const held =
      events > 0 ? `; ${pluralise(events, 'event')} held back, the oldest for ${formatAge(oldestMs ?? 0)}` : '';
    const text = `a transaction has been open for ${formatAge(openMs)} and holds back every reader of the log: ${describeTransaction(first)}${held}`;
    const advice =
      first.pid === null
        ? `COMMIT PREPARED or ROLLBACK PREPARED '${first.name}'`
        : `end it in the client that began it, or as a superuser: SELECT pg_terminate_backend(${first.pid})`;
    return openMs > limits.transactionAgeMs * FAILURE_FACTOR || events > 0 ? fail(text, advice) : warn(text, advice);
  },
};

function describeTransaction({ pid, name, login, db, state, query }: OpenTransaction): string {
  if (pid === null) return `prepared as ${name} by ${login} in ${db}`;
  const statement = query ? `, last statement: ${query.replace(/\s+/g, ' ')}` : '';
  return `pid ${pid} of ${login ?? 'an unknown login'} (${name || 'no name'}, database ${db ?? 'unknown'}, ${state ?? 'state hidden from this login'})${statement}`;
}
