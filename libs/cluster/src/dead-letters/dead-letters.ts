import { sql, type Kysely, type Selectable } from 'kysely';
import type pg from 'pg';
import { throwDatabaseError, createKysely, type DeadLettersTable, type EventStoreTables } from '@phaseline/event-store';
import { toWellFormedJson, toWellFormedText, type JsonValue } from '@phaseline/basics';
import type { QueuedMessageId } from '@phaseline/contracts';

/** Payload of a message: its JSON, or its text if it was not JSON. */
type DeadPayload = { readonly json: JsonValue } | { readonly text: string };

export interface NewDeadLetter {
  readonly queue: string;
  readonly messageId: QueuedMessageId;
  readonly payload: DeadPayload;
  /** Why processing was abandoned, for people. */
  readonly reason: string;
  readonly attempts: number;
  /**
   * When the message was sent, according to the sender's clock; ISO 8601. Identifies the dead letter together with
   * queue and message id.
   */
  readonly enqueuedAt?: string | undefined;
}

export interface StoredDeadLetter extends NewDeadLetter {
  readonly id: number;
  readonly failedAt: string;
  /** Size in bytes of a payload of which a list shows only the beginning, as text. `get` returns all of it. */
  readonly payloadBytes?: number;
  /** When the message was sent to its queue again. */
  readonly retriedAt: string | undefined;
  /** When a person discarded it. */
  readonly discardedAt: string | undefined;
  /** Who discarded it, and why, if that was recorded. */
  readonly discardedBy?: string;
  readonly discardReason?: string;
}

export interface ListDeadLettersOptions {
  readonly queue?: string;
  /** Whether to include retried and discarded ones; default false. */
  readonly includeClosed?: boolean;
  /** Page size; default 100. */
  readonly limit?: number;
  /** `cursor` of the previous page. */
  readonly cursor?: number;
}

/** A message that became a dead letter more than once under the same id. */
export interface RepeatedDeadLetter {
  readonly queue: string;
  readonly messageId: QueuedMessageId;
  /** Payload of the newest dead letter. */
  readonly payload: DeadPayload;
  readonly reason: string;
  /** Number of dead letters. */
  readonly count: number;
}

/** Who discards a dead letter, and why. */
interface Discarding {
  readonly actor?: string;
  readonly reason?: string;
}

export interface DeadLetterPage {
  readonly deadLetters: StoredDeadLetter[];
  /** Cursor of the next page; undefined on the last page. */
  readonly cursor: number | undefined;
}

/** Stores messages whose processing was abandoned until a person retries or discards them. Closed ones are removed after `PHASELINE_KEEP_DEAD_LETTERS_DAYS`. */
export class DeadLetters {
  private readonly db: Kysely<EventStoreTables>;

  constructor(private readonly pool: pg.Pool) {
    this.db = createKysely(pool);
  }

  /**
   * Stores a dead letter and returns its id. NUL and lone surrogates, which PostgreSQL cannot store, are replaced. If the dead letter
   * already exists (same queue, message id and time of sending), it is left unchanged.
   */
  async add(deadLetter: NewDeadLetter): Promise<number> {
    const { payload } = deadLetter;
    const row = await this.db
      .insertInto('phaseline.dead_letters')
      .values({
        queue: deadLetter.queue,
        message_id: toWellFormedText(deadLetter.messageId),
        enqueued_at: deadLetter.enqueuedAt ?? null,
        payload: 'json' in payload ? toWellFormedJson(payload.json) : null,
        payload_text: 'json' in payload ? null : toWellFormedText(payload.text),
        reason: toWellFormedText(deadLetter.reason),
        attempts: deadLetter.attempts,
      })
      // An update without effect, because RETURNING returns only written rows.
      .onConflict((conflict) =>
        conflict
          .columns(['queue', 'message_id', 'enqueued_at'])
          .doUpdateSet((column) => ({ queue: column.ref('excluded.queue') })),
      )
      .returning('id')
      .executeTakeFirstOrThrow()
      .catch(throwDatabaseError);
    return Number(row.id);
  }

  /** Lists dead letters, newest first. */
  async list({
    queue,
    includeClosed = false,
    limit = 100,
    cursor,
  }: ListDeadLettersOptions = {}): Promise<DeadLetterPage> {
    let query = this.db.selectFrom('phaseline.dead_letters').selectAll().select(listedColumns);
    if (queue !== undefined) query = query.where('queue', '=', queue);
    if (!includeClosed) query = query.where('retried_at', 'is', null).where('discarded_at', 'is', null);
    if (cursor !== undefined) query = query.where('id', '<', String(cursor));
    const rows = await query.orderBy('id', 'desc').limit(limit).execute().catch(throwDatabaseError);
    return { deadLetters: rows.map(toDeadLetter), cursor: rows.length === limit ? Number(rows.at(-1)?.id) : undefined };
  }

  async get(id: number): Promise<StoredDeadLetter | undefined> {
    const row = await this.db
      .selectFrom('phaseline.dead_letters')
      .selectAll()
      .where('id', '=', String(id))
      .executeTakeFirst()
      .catch(throwDatabaseError);
    return row && toDeadLetter(row);
  }

  /** Lists the dead letters of one message, open and closed, newest first. */
  async listOfMessage(queue: string, messageId: QueuedMessageId, limit = 50): Promise<StoredDeadLetter[]> {
    const rows = await this.db
      .selectFrom('phaseline.dead_letters')
      .selectAll()
      .select(listedColumns)
      .where('queue', '=', queue)
      .where('message_id', '=', toWellFormedText(messageId))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
      .catch(throwDatabaseError);
    return rows.map(toDeadLetter);
  }

  /** Counts open dead letters by queue. */
  async count(): Promise<Record<string, number>> {
    const rows = await this.db
      .selectFrom('phaseline.dead_letters')
      .select((column) => ['queue', column.fn.countAll<string>().as('count')])
      .where('retried_at', 'is', null)
      .where('discarded_at', 'is', null)
      .groupBy('queue')
      .execute()
      .catch(throwDatabaseError);
    return Object.fromEntries(rows.map((row) => [row.queue, Number(row.count)]));
  }

  /**
   * Finds messages with at least `times` open dead letters under one id. Without a limit, a sender would send them again under the same id
   * forever.
   */
  async findRepeated(times: number, limit = 100): Promise<RepeatedDeadLetter[]> {
    const { rows } = await sql<DeadLettersRow & { count: string }>`
      SELECT newest.*, ${sql.join(listedColumns)}, repeated.count FROM (
        SELECT queue, message_id, max(id) AS id, count(*) AS count FROM phaseline.dead_letters
        WHERE retried_at IS NULL AND discarded_at IS NULL GROUP BY queue, message_id HAVING count(*) >= ${times} ORDER BY 3 DESC LIMIT ${limit}
      ) AS repeated JOIN phaseline.dead_letters AS newest ON newest.id = repeated.id`
      .execute(this.db)
      .catch(throwDatabaseError);
    return rows.map((row) => {
      const { queue, messageId, payload, reason } = toDeadLetter(row);
      return { queue, messageId, payload, reason, count: Number(row.count) };
    });
  }

  /** Closes all open dead letters of these messages. Returns their number. */
  async markHandled(
    messages: readonly { readonly queue: string; readonly messageId: QueuedMessageId }[],
  ): Promise<number> {
    if (messages.length === 0) return 0;
    const result = await this.db
      .updateTable('phaseline.dead_letters')
      .set({ retried_at: sql<Date>`now()` })
      .where('retried_at', 'is', null)
      .where('discarded_at', 'is', null)
      .where((on) =>
        on.or(
          messages.map(({ queue, messageId }) =>
            on.and([on('queue', '=', queue), on('message_id', '=', toWellFormedText(messageId))]),
          ),
        ),
      )
      .executeTakeFirst()
      .catch(throwDatabaseError);
    return Number(result.numUpdatedRows);
  }

  /**
   * Closes a dead letter as retried. Returns false if it does not exist or is already closed, so only one concurrent caller gets true.
   * `database` may be a client within a transaction.
   */
  markRetried(id: number, database: Database = this.pool): Promise<boolean> {
    return close(database, `UPDATE phaseline.dead_letters SET retried_at = now() WHERE ${IS_OPEN}`, [id]);
  }

  /** Closes a dead letter as discarded. Returns false if it does not exist or is already closed. */
  markDiscarded(id: number, { actor, reason }: Discarding = {}, database: Database = this.pool): Promise<boolean> {
    return close(
      database,
      `UPDATE phaseline.dead_letters SET discarded_at = now(), discarded_by = $2, discard_reason = $3 WHERE ${IS_OPEN}`,
      [id, actor ?? null, reason === undefined ? null : toWellFormedText(reason)],
    );
  }
}

type Database = Pick<pg.ClientBase, 'query'> | pg.Pool;

const IS_OPEN = 'id = $1 AND retried_at IS NULL AND discarded_at IS NULL';

async function close(database: Database, text: string, values: readonly unknown[]): Promise<boolean> {
  const { rowCount } = await database.query(text, [...values]).catch(throwDatabaseError);
  return rowCount === 1;
}

/** Size in bytes up to which a list shows a whole payload. Producers determine the size of payloads. */
const MAX_LISTED_BYTES = 8 * 1024;
/** Number of characters that a list shows of a larger payload. */
const PREVIEW_CHARACTERS = 1_000;

const source = sql`coalesce(payload::text, payload_text)`;
const isLarge = sql`octet_length(${source}) > ${sql.lit(MAX_LISTED_BYTES)}`;
/** Columns that replace the table columns of the same names, because they are selected after them. */
const listedColumns = [
  sql<unknown>`CASE WHEN ${isLarge} THEN NULL ELSE payload END`.as('payload'),
  sql<
    string | null
  >`CASE WHEN ${isLarge} THEN left(${source}, ${sql.lit(PREVIEW_CHARACTERS)}) ELSE payload_text END`.as('payload_text'),
  sql<number | null>`CASE WHEN ${isLarge} THEN octet_length(${source}) END`.as('payload_bytes'),
];

type DeadLettersRow = Selectable<DeadLettersTable> & { readonly payload_bytes?: number | null };

function toDeadLetter(row: DeadLettersRow): StoredDeadLetter {
  return {
    id: Number(row.id),
    queue: row.queue,
    messageId: row.message_id,
    payload: row.payload_text === null ? { json: row.payload as JsonValue } : { text: row.payload_text },
    ...(row.payload_bytes == null ? {} : { payloadBytes: row.payload_bytes }),
    reason: row.reason,
    attempts: row.attempts,
    enqueuedAt: row.enqueued_at?.toISOString(),
    failedAt: row.failed_at.toISOString(),
    retriedAt: row.retried_at?.toISOString(),
    discardedAt: row.discarded_at?.toISOString(),
    ...(row.discarded_by === null ? {} : { discardedBy: row.discarded_by }),
    ...(row.discard_reason === null ? {} : { discardReason: row.discard_reason }),
  };
}
