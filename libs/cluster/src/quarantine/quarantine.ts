import { sql, type Kysely, type Selectable } from 'kysely';
import type pg from 'pg';
import { mapDatabaseError, kyselyOver, type EventStoreTables, type QuarantineTable } from '@phaseline/event-store';
import { wellFormedText } from '@phaseline/basics';

/** A stream that failed, and how often in the same way. */
export interface SetAside {
  readonly streamId: string;
  readonly correlationId: string;
  readonly fingerprint: string;
  /** For people. */
  readonly reason: string;
  /** Identical ones in a row. */
  readonly failures: number;
  /** Version of the code that failed. */
  readonly release: string;
  readonly firstAt: string;
  readonly lastAt: string;
  /** Undefined while the failures are only being counted. */
  readonly setAsideAt: string | undefined;
  readonly nextLookAt: string;
}

export interface StreamFailure {
  readonly streamId: string;
  readonly correlationId: string;
  /** The same for failures that are the same. */
  readonly fingerprint: string;
  readonly reason: string;
}

export interface QuarantineOptions {
  /** Identical failures in a row after which a stream is set aside. */
  readonly after: number;
  /** Version of the code that runs. What another version set aside is looked at at once. */
  readonly release: string;
  /** Wait before the first look at a stream that was set aside, in milliseconds; doubled with every further one. Default a minute. */
  readonly firstLookMs?: number;
  /** The longest wait; default an hour. */
  readonly lastLookMs?: number;
}

const FIRST_LOOK_MS = 60_000;
const LAST_LOOK_MS = 3_600_000;
/** More than a reason needs, and little enough that a table of them stays readable. */
const REASON_LENGTH = 2_000;

/**
 * Streams that fail again and again in the same way. Counting is done in the database, so that replicas count together and a
 * restart does not begin anew; failures of several replicas within a second count once (the time is that of the last counted).
 */
export class Quarantine {
  private readonly db: Kysely<EventStoreTables>;

  constructor(
    pool: pg.Pool,
    private readonly options: QuarantineOptions,
  ) {
    this.db = kyselyOver(pool);
  }

  /** Counts a failure. Returns how the stream stands now. */
  async failed({ streamId, correlationId, fingerprint, reason }: StreamFailure): Promise<SetAside> {
    const { after, release, firstLookMs = FIRST_LOOK_MS, lastLookMs = LAST_LOOK_MS } = this.options;
    const said = wellFormedText(reason).slice(0, REASON_LENGTH);
    const { rows } = await sql<Selectable<QuarantineTable>>`
      INSERT INTO phaseline.quarantine AS known
        (stream_id, correlation_id, fingerprint, reason, failures, release, set_aside_at)
      VALUES (${streamId}, ${correlationId}, ${wellFormedText(fingerprint).slice(0, REASON_LENGTH)}, ${said}, 1, ${release},
              CASE WHEN ${after}::integer <= 1 THEN now() END)
      ON CONFLICT (stream_id) DO UPDATE SET
        (fingerprint, reason, failures, release, first_at, last_at, set_aside_at, next_look_at) = (
          SELECT excluded.fingerprint, excluded.reason, next.failures, excluded.release,
            CASE WHEN same.holds THEN known.first_at ELSE now() END,
            CASE WHEN next.failures > known.failures OR NOT same.holds THEN now() ELSE known.last_at END,
            CASE WHEN next.failures >= ${after}::integer THEN coalesce(CASE WHEN same.holds THEN known.set_aside_at END, now()) END,
            CASE WHEN next.failures >= ${after}::integer
              THEN now() + least(${firstLookMs}::float8 * power(2, least(next.failures - ${after}::integer, 30)), ${lastLookMs}::float8)
                     * interval '1 millisecond'
              ELSE now() END
          FROM (SELECT known.fingerprint = excluded.fingerprint AND known.release = excluded.release AS holds) AS same,
            LATERAL (SELECT CASE WHEN NOT same.holds THEN 1
                                 WHEN known.last_at > now() - interval '1 second' THEN known.failures
                                 ELSE known.failures + 1 END AS failures) AS next)
      RETURNING *`
      .execute(this.db)
      .catch(rethrow);
    return setAsideOf(rows[0]!);
  }

  /** Sets a stream aside at once, whatever was counted before. */
  async setAside(failure: StreamFailure): Promise<void> {
    const { firstLookMs = FIRST_LOOK_MS, release, after } = this.options;
    const counted = await this.failed(failure);
    if (counted.setAsideAt !== undefined) return;
    await this.db
      .updateTable('phaseline.quarantine')
      .set({
        set_aside_at: sql<Date>`now()`,
        next_look_at: sql<Date>`now() + ${firstLookMs}::float8 * interval '1 millisecond'`,
        failures: after,
        release,
      })
      .where('stream_id', '=', failure.streamId)
      .execute()
      .catch(rethrow);
  }

  /** Streams that are not to be looked at now: set aside by this release, and their next look is still to come. */
  async notNow(): Promise<Set<string>> {
    const rows = await this.db
      .selectFrom('phaseline.quarantine')
      .select('stream_id')
      .where('set_aside_at', 'is not', null)
      .where('release', '=', this.options.release)
      .where('next_look_at', '>', sql<Date>`now()`)
      .execute()
      .catch(rethrow);
    return new Set(rows.map((row) => row.stream_id));
  }

  /** Everything that is counted or set aside, the longest first; of one job where it is named. */
  async list(filter: { readonly correlationId?: string; readonly setAside?: boolean } = {}): Promise<SetAside[]> {
    let query = this.db.selectFrom('phaseline.quarantine').selectAll();
    if (filter.correlationId !== undefined) query = query.where('correlation_id', '=', filter.correlationId);
    if (filter.setAside === true) query = query.where('set_aside_at', 'is not', null);
    const rows = await query.orderBy('first_at').orderBy('stream_id').execute().catch(rethrow);
    return rows.map(setAsideOf);
  }

  /** How many streams are set aside. */
  async count(): Promise<number> {
    const row = await this.db
      .selectFrom('phaseline.quarantine')
      .select((column) => column.fn.countAll<string>().as('streams'))
      .where('set_aside_at', 'is not', null)
      .executeTakeFirstOrThrow()
      .catch(rethrow);
    return Number(row.streams);
  }

  /** What was wrong with these streams is over. */
  async forget(streamIds: readonly string[]): Promise<void> {
    if (streamIds.length === 0) return;
    await this.db.deleteFrom('phaseline.quarantine').where('stream_id', 'in', streamIds).execute().catch(rethrow);
  }

  /** Has the streams of a job, or all of them, looked at again at once, and counted anew. Returns which. */
  async release(correlationId?: string): Promise<string[]> {
    let query = this.db.deleteFrom('phaseline.quarantine');
    if (correlationId !== undefined) query = query.where('correlation_id', '=', correlationId);
    const rows = await query.returning('stream_id').execute().catch(rethrow);
    return rows.map((row) => row.stream_id).sort();
  }
}

function setAsideOf(row: Selectable<QuarantineTable>): SetAside {
  return {
    streamId: row.stream_id,
    correlationId: row.correlation_id,
    fingerprint: row.fingerprint,
    reason: row.reason,
    failures: row.failures,
    release: row.release,
    firstAt: row.first_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    setAsideAt: row.set_aside_at?.toISOString(),
    nextLookAt: row.next_look_at.toISOString(),
  };
}

function rethrow(error: unknown): never {
  throw mapDatabaseError(error);
}
