import { queueNames } from '../catalogue.js';
import { databaseNow } from './database-time.js';

/** A lock that ends later than any lock can was written by a clock that is ahead, or the database's clock was set back. */
const longestLockMs = 60_000;

/** Looks this often at queues in which nothing waits and nothing runs. Shorter than a lock, so no recovery is later for it. */
const idleMs = 5_000;

export interface PostgresWatchParts {
  readonly schema: string;
  readonly query: (text: string, values: readonly unknown[]) => Promise<{ rows: unknown[] }>;
  /** Wakes the workers of this process that wait for a message of the queue. */
  readonly wake: (queue: string) => void;
  /** A message was taken back from a worker that has vanished. */
  readonly onStalled: (queue: string, messageId: string) => void;
  readonly onError: (error: Error) => void;
}

interface WatchedQueue {
  readonly queue: string;
  /** A message may be taken now. */
  readonly ready: boolean;
  readonly busy: boolean;
  /** The lock of an active message is over, or cannot be true. */
  readonly lost: boolean;
}

/**
 * Takes messages back from workers that have vanished, and wakes workers that missed a notification. One statement per process and
 * look, in place of BullMQ's own search, which writes twice per queue, worker and second, and polls with four statements more.
 * All comparisons are made by the database's clock: no process can put the search off for the others.
 */
export class PostgresWatch {
  readonly #parts: PostgresWatchParts;
  readonly #statements: ReturnType<typeof statements>;
  readonly #worked = new Set<string>();
  #everyMs = 1_000;
  #lockMs = 6_500;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #closed = false;
  #lookedAt = -Infinity;

  constructor(parts: PostgresWatchParts) {
    this.#parts = parts;
    this.#statements = statements(parts.schema);
  }

  /** Begins, or goes on, with one queue more that this process works on. */
  add(queue: string, { everyMs, lockMs }: { readonly everyMs: number; readonly lockMs: number }): void {
    this.#worked.add(queue);
    this.#everyMs = everyMs;
    this.#lockMs = lockMs;
    if (!this.#closed) this.#schedule(0);
  }

  /** Takes back what workers let go of at least `overForMs` ago. Returns how many messages. */
  async takeBack(overForMs: number): Promise<number> {
    const { rows } = await this.#parts.query(this.#statements.takeBack, [overForMs, longestLockMs, this.#lockMs]);
    const lost = rows as { queue: string; id: string }[];
    for (const { queue, id } of lost) this.#parts.onStalled(queue, id);
    return lost.length;
  }

  /** Whether a look succeeded within the longest time between two, and a second. */
  get answeredLately(): boolean {
    return performance.now() - this.#lookedAt < idleMs + 1_000;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#looking) return this.#schedule(this.#everyMs);
      this.#looking = this.#look()
        .then(
          (busy) => (busy ? this.#everyMs : Math.max(this.#everyMs, Math.min(idleMs, this.#lockMs * 0.75))),
          (error: unknown) => {
            this.#lookedAt = -Infinity;
            this.#parts.onError(error as Error);
            return this.#everyMs;
          },
        )
        .then((next) => {
          this.#looking = undefined;
          if (!this.#closed) this.#schedule(next);
        });
    }, ms);
    this.#timer.unref();
  }

  /** Returns whether anything waits or runs. */
  async #look(): Promise<boolean> {
    const { rows } = await this.#parts.query(this.#statements.look, [longestLockMs, queueNames]);
    this.#lookedAt = performance.now();
    const queues = rows as WatchedQueue[];
    if (queues.some(({ lost }) => lost)) await this.takeBack(0);
    for (const { queue, ready } of queues) if (ready && this.#worked.has(queue)) this.#parts.wake(queue);
    return queues.some(({ busy }) => busy);
  }
}

function statements(schema: string) {
  const unlocked = `(locked_until_ms < ${databaseNow} - $1::bigint OR locked_until_ms > ${databaseNow} + $2::bigint)`;
  return {
    // Each part is answered by one of BullMQ's partial indexes, however much waits.
    look: `
      SELECT q.queue, p.waiting OR p.due AS ready, p.waiting OR p.due OR p.active AS busy, p.lost
        FROM unnest($2::text[]) AS q (queue) CROSS JOIN LATERAL (SELECT
          EXISTS (SELECT FROM ${schema}.job j WHERE j.queue = q.queue AND j.state = 'waiting') AS waiting,
          EXISTS (SELECT FROM ${schema}.job j
                   WHERE j.queue = q.queue AND j.state = 'delayed' AND j.process_at_ms <= ${databaseNow}) AS due,
          EXISTS (SELECT FROM ${schema}.job j WHERE j.queue = q.queue AND j.state = 'active') AS active,
          EXISTS (SELECT FROM ${schema}.job j
                   WHERE j.queue = q.queue AND j.state = 'active'
                     AND (j.locked_until_ms < ${databaseNow} OR j.locked_until_ms > ${databaseNow} + $1::bigint)) AS lost
        ) AS p`,
    takeBack: `
      WITH unlocked AS (
        SELECT queue, id, locked_until_ms > ${databaseNow} + $2::bigint AS too_long
          FROM ${schema}.job WHERE state = 'active' AND ${unlocked}
           FOR UPDATE SKIP LOCKED
      ), shortened AS (
        -- Its worker may live: it has one lock more to say so.
        UPDATE ${schema}.job j SET locked_until_ms = ${databaseNow} + $3::bigint
          FROM unlocked u WHERE u.too_long AND j.queue = u.queue AND j.id = u.id
      ), moved AS (
        UPDATE ${schema}.job j
           SET state = 'waiting', lock_token = NULL, locked_until_ms = NULL, stalled_marked = false,
               stalled_count = stalled_count + 1, seq = nextval('${schema}.job_seq')
          FROM unlocked u WHERE NOT u.too_long AND j.queue = u.queue AND j.id = u.id
        RETURNING j.queue, j.id
      )
      SELECT queue, id, pg_notify('bullmq_jobs', queue) FROM moved`,
  };
}
