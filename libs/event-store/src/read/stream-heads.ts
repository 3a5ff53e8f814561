import type { JobId, StreamId } from '@phaseline/contracts';
import { sql, type Kysely, type Selectable } from 'kysely';
import { throwDatabaseError } from '../database/database-errors.js';
import type { EventStoreTables, StreamsTable } from '../database/tables.js';

export interface StreamHead {
  readonly streamId: StreamId;
  readonly correlationId: JobId;
  readonly version: number;
  /** Hash of the last event, hex. */
  readonly hash: string;
  readonly closed: boolean;
  /** When the last event was recorded; ISO 8601, UTC, milliseconds. */
  readonly updatedAt: string;
}

export interface OpenStreamsOptions {
  /** Prefix of stream ids; default: all streams. */
  readonly prefix?: string;
  /** Minimum time since the last event in milliseconds, according to the clock of the database. */
  readonly idleForMs: number;
  readonly limit: number;
  /** Last stream id of the previous page. */
  readonly after?: string;
}

/** Reads the heads of streams. */
export class StreamHeads {
  constructor(private readonly db: Kysely<EventStoreTables>) {}

  async head(streamId: StreamId): Promise<StreamHead | undefined> {
    const row = await this.db
      .selectFrom('phaseline.streams')
      .selectAll()
      .where('stream_id', '=', streamId)
      .executeTakeFirst()
      .catch(throwDatabaseError);
    return row && headOf(row);
  }

  /** Lists idle streams that are not closed, sorted by id: work that perhaps no process handles. */
  async openStreams({ prefix = '', idleForMs, limit, after }: OpenStreamsOptions): Promise<StreamHead[]> {
    const idleSince = sql<Date>`now() - ${idleForMs}::float8 * interval '1 millisecond'`;
    let query = this.db
      .selectFrom('phaseline.streams')
      .selectAll()
      .where('closed', '=', false)
      .where('updated_at', '<=', idleSince);
    // Ids are printable ASCII and compared bytewise, so prefix + DEL sorts after every id with the prefix.
    if (prefix !== '') query = query.where('stream_id', '>=', prefix).where('stream_id', '<', `${prefix}\x7f`);
    if (after !== undefined) query = query.where('stream_id', '>', after);
    const rows = await query.orderBy('stream_id').limit(limit).execute().catch(throwDatabaseError);
    return rows.map(headOf);
  }
}

function headOf(row: Selectable<StreamsTable>): StreamHead {
  return {
    streamId: row.stream_id,
    correlationId: row.correlation_id,
    version: Number(row.version),
    hash: row.hash.toString('hex'),
    closed: row.closed,
    updatedAt: row.updated_at.toISOString(),
  };
}
