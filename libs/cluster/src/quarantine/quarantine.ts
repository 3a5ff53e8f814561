import { sql, type Kysely, type Selectable } from 'kysely';
import type pg from 'pg';
import { throwDatabaseError, createKysely, type EventStoreTables, type QuarantineTable } from '@phaseline/event-store';
import { toWellFormedText } from '@phaseline/basics';
import type { JobId, StreamId } from '@phaseline/contracts';

/** A stream with repeated failures, quarantined or not yet. */
export interface QuarantineEntry {
  readonly streamId: StreamId;
  readonly correlationId: JobId;
  readonly fingerprint: string;
  /** Description of the failure, for people. */
  readonly reason: string;
  /** Number of identical failures in a row. */
  readonly failures: number;
  /** Version of the code that failed. */
  readonly release: string;
  readonly firstAt: string;
  readonly lastAt: string;
  /** Time of quarantine; undefined while failures are only counted. */
  readonly quarantinedAt: string | undefined;
  readonly nextCheckAt: string;
}

export interface StreamFailure {
  readonly streamId: StreamId;
  readonly correlationId: JobId;
  /** Identifies the failure: identical failures have the same fingerprint. */
  readonly fingerprint: string;
  readonly reason: string;
}

export interface QuarantineOptions {
  /** Number of identical failures in a row after which a stream is quarantined. */
  readonly maxFailures: number;
  /** Version of the running code. Streams quarantined by another version are checked immediately. */
  readonly release: string;
  /** Wait before a quarantined stream is checked for the first time, in milliseconds; doubled for each further check. Default one minute. */
  readonly firstCheckMs?: number;
  /** Maximum wait in milliseconds; default one hour. */
  readonly maxCheckMs?: number;
}

const FIRST_CHECK_MS = 60_000;
const MAX_CHECK_MS = 3_600_000;
const MAX_REASON_CHARACTERS = 2_000;

/**
 * Quarantines streams that fail repeatedly in the same way. Failures are counted in the database, so that replicas share the count and it
 * survives restarts. Failures within a second of the last counted one count once, because several replicas fail at the same time.
 */
export class Quarantine {
  private readonly db: Kysely<EventStoreTables>;

  constructor(
    pool: pg.Pool,
    private readonly options: QuarantineOptions,
  ) {
    this.db = createKysely(pool);
  }

  /** Counts a failure. Returns the current state of the stream. */
  async recordFailure({ streamId, correlationId, fingerprint, reason }: StreamFailure): Promise<QuarantineEntry> {
    const { maxFailures, release, firstCheckMs = FIRST_CHECK_MS, maxCheckMs = MAX_CHECK_MS } = this.options;
    const storedReason = toWellFormedText(reason).slice(0, MAX_REASON_CHARACTERS);
    const { rows } = await sql<Selectable<QuarantineTable>>`
      INSERT INTO phaseline.quarantine AS known
        (stream_id, correlation_id, fingerprint, reason, failures, release, quarantined_at)
      VALUES (${streamId}, ${correlationId}, ${toWellFormedText(fingerprint).slice(0, MAX_REASON_CHARACTERS)}, ${storedReason}, 1, ${release},
              CASE WHEN ${maxFailures}::integer <= 1 THEN now() END)
      ON CONFLICT (stream_id) DO UPDATE SET
        (fingerprint, reason, failures, release, first_at, last_at, quarantined_at, next_check_at) = (
          SELECT excluded.fingerprint, excluded.reason, next.failures, excluded.release,
            CASE WHEN same.is_same THEN known.first_at ELSE now() END,
            CASE WHEN next.failures > known.failures OR NOT same.is_same THEN now() ELSE known.last_at END,
            CASE WHEN next.failures >= ${maxFailures}::integer THEN coalesce(CASE WHEN same.is_same THEN known.quarantined_at END, now()) END,
            CASE WHEN next.failures >= ${maxFailures}::integer
              THEN now() + least(${firstCheckMs}::float8 * power(2, least(next.failures - ${maxFailures}::integer, 30)), ${maxCheckMs}::float8)
                     * interval '1 millisecond'
              ELSE now() END
          FROM (SELECT known.fingerprint = excluded.fingerprint AND known.release = excluded.release AS is_same) AS same,
            LATERAL (SELECT CASE WHEN NOT same.is_same THEN 1
                                 WHEN known.last_at > now() - interval '1 second' THEN known.failures
                                 ELSE known.failures + 1 END AS failures) AS next)
      RETURNING *`
      .execute(this.db)
      .catch(throwDatabaseError);
    return toEntry(rows[0]!);
  }

  /** Quarantines a stream immediately, regardless of the count. */
  async quarantineStream(failure: StreamFailure): Promise<void> {
    const { firstCheckMs = FIRST_CHECK_MS, release, maxFailures } = this.options;
    const counted = await this.recordFailure(failure);
    if (counted.quarantinedAt !== undefined) return;
    await this.db
      .updateTable('phaseline.quarantine')
      .set({
        quarantined_at: sql<Date>`now()`,
        next_check_at: sql<Date>`now() + ${firstCheckMs}::float8 * interval '1 millisecond'`,
        failures: maxFailures,
        release,
      })
      .where('stream_id', '=', failure.streamId)
      .execute()
      .catch(throwDatabaseError);
  }

  /** Returns the streams to skip now: quarantined by this release, and not due for a check. */
  async listSkipped(): Promise<Set<string>> {
    const rows = await this.db
      .selectFrom('phaseline.quarantine')
      .select('stream_id')
      .where('quarantined_at', 'is not', null)
      .where('release', '=', this.options.release)
      .where('next_check_at', '>', sql<Date>`now()`)
      .execute()
      .catch(throwDatabaseError);
    return new Set(rows.map((row) => row.stream_id));
  }

  /** Lists streams with counted failures or in quarantine, oldest first. */
  async list(
    filter: { readonly correlationId?: JobId; readonly isQuarantined?: boolean } = {},
  ): Promise<QuarantineEntry[]> {
    let query = this.db.selectFrom('phaseline.quarantine').selectAll();
    if (filter.correlationId !== undefined) query = query.where('correlation_id', '=', filter.correlationId);
    if (filter.isQuarantined === true) query = query.where('quarantined_at', 'is not', null);
    const rows = await query.orderBy('first_at').orderBy('stream_id').execute().catch(throwDatabaseError);
    return rows.map(toEntry);
  }

  /** Counts the quarantined streams. */
  async count(): Promise<number> {
    const row = await this.db
      .selectFrom('phaseline.quarantine')
      .select((column) => column.fn.countAll<string>().as('streams'))
      .where('quarantined_at', 'is not', null)
      .executeTakeFirstOrThrow()
      .catch(throwDatabaseError);
    return Number(row.streams);
  }

  /** Removes streams that work again. */
  async forget(streamIds: readonly StreamId[]): Promise<void> {
    if (streamIds.length === 0) return;
    await this.db
      .deleteFrom('phaseline.quarantine')
      .where('stream_id', 'in', streamIds)
      .execute()
      .catch(throwDatabaseError);
  }

  /** Releases the streams of a job, or all streams: they are processed immediately and counted from zero. Returns their ids. */
  async release(correlationId?: JobId): Promise<StreamId[]> {
    let query = this.db.deleteFrom('phaseline.quarantine');
    if (correlationId !== undefined) query = query.where('correlation_id', '=', correlationId);
    const rows = await query.returning('stream_id').execute().catch(throwDatabaseError);
    return rows.map((row) => row.stream_id).sort();
  }
}

function toEntry(row: Selectable<QuarantineTable>): QuarantineEntry {
  return {
    streamId: row.stream_id,
    correlationId: row.correlation_id,
    fingerprint: row.fingerprint,
    reason: row.reason,
    failures: row.failures,
    release: row.release,
    firstAt: row.first_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    quarantinedAt: row.quarantined_at?.toISOString(),
    nextCheckAt: row.next_check_at.toISOString(),
  };
}
