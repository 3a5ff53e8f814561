import { sql, type Kysely, type Selectable } from 'kysely';
import type pg from 'pg';
import { mapDatabaseError, kyselyOver, type DeadLettersTable, type EventStoreTables } from '@phaseline/event-store';
import { wellFormedJson, wellFormedText, type JsonValue } from '@phaseline/basics';

/** A message as it came: its JSON, or its text when it was none. */
export type DeadPayload = { readonly json: JsonValue } | { readonly text: string };

export interface NewDeadLetter {
  readonly queue: string;
  readonly messageId: string;
  readonly payload: DeadPayload;
  /** Why it was given up, in words for a person. */
  readonly reason: string;
  readonly attempts: number;
  /** When the message was sent, by its sender's clock; ISO 8601. With queue and message id it names the letter. */
  readonly enqueuedAt?: string | undefined;
}

export interface DeadLetter extends NewDeadLetter {
  readonly id: number;
  readonly failedAt: string;
  /** In lists: bytes of a payload of which only the beginning is given, as text. `get` gives all of it. */
  readonly payloadBytes?: number;
  /** When somebody put it back on its queue. */
  readonly retriedAt: string | undefined;
  /** When a person decided not to retry it. */
  readonly discardedAt: string | undefined;
}

export interface ListDeadLettersOptions {
  readonly queue?: string;
  /** Also those that were retried or discarded; default: no. */
  readonly closed?: boolean;
  /** Default 100. */
  readonly limit?: number;
  /** `cursor` of the page before. */
  readonly cursor?: number;
}

/** A message that was given up more than once under the same id. */
export interface RepeatedDeadLetter {
  readonly queue: string;
  readonly messageId: string;
  /** Of the last letter. */
  readonly payload: DeadPayload;
  readonly reason: string;
  readonly letters: number;
}

export interface DeadLetterPage {
  readonly letters: DeadLetter[];
  /** Undefined on the last page. */
  readonly cursor: number | undefined;
}

/** Messages that were given up, with the reason, until a person retries or discards them. Rows are kept; nothing expires. */
export class DeadLetters {
  private readonly db: Kysely<EventStoreTables>;

  constructor(pool: pg.Pool) {
    this.db = kyselyOver(pool);
  }

  /**
   * Returns the letter's id. NUL and lone surrogates are mended: PostgreSQL could not keep them, and the letter matters more.
   * A letter that is there already (same queue, message and time of sending) is kept as it is, and its id returned.
   */
  async add(letter: NewDeadLetter): Promise<number> {
    const { payload } = letter;
    const row = await this.db
      .insertInto('phaseline.dead_letters')
      .values({
        queue: letter.queue,
        message_id: wellFormedText(letter.messageId),
        enqueued_at: letter.enqueuedAt ?? null,
        payload: 'json' in payload ? wellFormedJson(payload.json) : null,
        payload_text: 'json' in payload ? null : wellFormedText(payload.text),
        reason: wellFormedText(letter.reason),
        attempts: letter.attempts,
      })
      // An update that changes nothing, because only what is written is returned.
      .onConflict((conflict) =>
        conflict
          .columns(['queue', 'message_id', 'enqueued_at'])
          .doUpdateSet((column) => ({ queue: column.ref('excluded.queue') })),
      )
      .returning('id')
      .executeTakeFirstOrThrow()
      .catch(rethrow);
    return Number(row.id);
  }

  /** Newest first. */
  async list({ queue, closed = false, limit = 100, cursor }: ListDeadLettersOptions = {}): Promise<DeadLetterPage> {
    let query = this.db.selectFrom('phaseline.dead_letters').selectAll().select(shownColumns);
    if (queue !== undefined) query = query.where('queue', '=', queue);
    if (!closed) query = query.where('retried_at', 'is', null).where('discarded_at', 'is', null);
    if (cursor !== undefined) query = query.where('id', '<', String(cursor));
    const rows = await query.orderBy('id', 'desc').limit(limit).execute().catch(rethrow);
    return { letters: rows.map(letterOf), cursor: rows.length === limit ? Number(rows.at(-1)?.id) : undefined };
  }

  async get(id: number): Promise<DeadLetter | undefined> {
    const row = await this.db
      .selectFrom('phaseline.dead_letters')
      .selectAll()
      .where('id', '=', String(id))
      .executeTakeFirst()
      .catch(rethrow);
    return row && letterOf(row);
  }

  /** Letters that wait to be retried, by queue. */
  async count(): Promise<Record<string, number>> {
    const rows = await this.db
      .selectFrom('phaseline.dead_letters')
      .select((column) => ['queue', column.fn.countAll<string>().as('letters')])
      .where('retried_at', 'is', null)
      .where('discarded_at', 'is', null)
      .groupBy('queue')
      .execute()
      .catch(rethrow);
    return Object.fromEntries(rows.map((row) => [row.queue, Number(row.letters)]));
  }

  /**
   * Messages that were given up at least `times` times under one id, and were not retried since. Whoever sends messages anew
   * under the same id would go on with it for ever.
   */
  async repeated(times: number, limit = 100): Promise<RepeatedDeadLetter[]> {
    const { rows } = await sql<DeadLettersRow & { letters: string }>`
      SELECT letter.*, ${sql.join(shownColumns)}, repeated.letters FROM (
        SELECT queue, message_id, max(id) AS id, count(*) AS letters FROM phaseline.dead_letters
        WHERE retried_at IS NULL AND discarded_at IS NULL GROUP BY queue, message_id HAVING count(*) >= ${times} ORDER BY 3 DESC LIMIT ${limit}
      ) AS repeated JOIN phaseline.dead_letters AS letter ON letter.id = repeated.id`
      .execute(this.db)
      .catch(rethrow);
    return rows.map((row) => {
      const { queue, messageId, payload, reason } = letterOf(row);
      return { queue, messageId, payload, reason, letters: Number(row.letters) };
    });
  }

  /** Marks every letter of these messages as dealt with. Returns how many there were. */
  async settle(messages: readonly { readonly queue: string; readonly messageId: string }[]): Promise<number> {
    if (messages.length === 0) return 0;
    const result = await this.db
      .updateTable('phaseline.dead_letters')
      .set({ retried_at: sql<Date>`now()` })
      .where('retried_at', 'is', null)
      .where('discarded_at', 'is', null)
      .where((on) =>
        on.or(
          messages.map(({ queue, messageId }) =>
            on.and([on('queue', '=', queue), on('message_id', '=', wellFormedText(messageId))]),
          ),
        ),
      )
      .executeTakeFirst()
      .catch(rethrow);
    return Number(result.numUpdatedRows);
  }

  /** Returns false when there is no such letter or it is closed already: of two who retry it at once, one gets true. */
  markRetried(id: number): Promise<boolean> {
    return this.close(id, 'retried_at');
  }

  /** Closes a letter without sending it again. Returns false when there is no such letter or it is closed already. */
  markDiscarded(id: number): Promise<boolean> {
    return this.close(id, 'discarded_at');
  }

  private async close(id: number, as: 'retried_at' | 'discarded_at'): Promise<boolean> {
    const result = await this.db
      .updateTable('phaseline.dead_letters')
      .set({ [as]: sql<Date>`now()` })
      .where('id', '=', String(id))
      .where('retried_at', 'is', null)
      .where('discarded_at', 'is', null)
      .executeTakeFirst()
      .catch(rethrow);
    return result.numUpdatedRows > 0n;
  }
}

/** Bytes up to which a list gives a payload whole, and the characters of a longer one: producers decide how large they are. */
const SHOWN_BYTES = 8 * 1024;
const SHOWN_CHARACTERS = 1_000;

/** These come behind the columns of the table, and replace those of the same names. */
const source = sql`coalesce(payload::text, payload_text)`;
const isLarge = sql`octet_length(${source}) > ${sql.lit(SHOWN_BYTES)}`;
const shownColumns = [
  sql<unknown>`CASE WHEN ${isLarge} THEN NULL ELSE payload END`.as('payload'),
  sql<string | null>`CASE WHEN ${isLarge} THEN left(${source}, ${sql.lit(SHOWN_CHARACTERS)}) ELSE payload_text END`.as(
    'payload_text',
  ),
  sql<number | null>`CASE WHEN ${isLarge} THEN octet_length(${source}) END`.as('payload_bytes'),
];

type DeadLettersRow = Selectable<DeadLettersTable> & { readonly payload_bytes?: number | null };

function letterOf(row: DeadLettersRow): DeadLetter {
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
  };
}

function rethrow(error: unknown): never {
  throw mapDatabaseError(error);
}
