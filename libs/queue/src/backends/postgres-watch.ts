import { queueNames, type QueuedMessageId } from '@phaseline/contracts';
import { DATABASE_NOW_SQL } from './database-time.js';

/** Maximum remaining time of a valid lock. A longer one was written by a clock that is ahead, or the database's clock was set back. */
const MAX_LOCK_MS = 60_000;

/** Interval of the checks while no message is waiting or active. Shorter than a lock, so it does not delay recovery. */
const IDLE_INTERVAL_MS = 5_000;

export interface PostgresWatchParts {
  readonly schema: string;
  readonly query: (text: string, values: readonly unknown[]) => Promise<{ rows: unknown[] }>;
  /** Wakes this process's workers that wait for a message of the queue. */
  readonly wake: (queue: string) => void;
  /** Called for each message that was recovered from a dead worker. */
  readonly onStalled: (queue: string, messageId: QueuedMessageId) => void;
  readonly onError: (error: Error) => void;
}

interface WatchedQueue {
  readonly queue: string;
  /** Whether a message can be taken now. */
  readonly ready: boolean;
  /** Whether a message can be taken now or is active. */
  readonly busy: boolean;
  /** Whether the lock of an active message has expired or is invalid. */
  readonly lost: boolean;
}

/**
 * Recovers messages of workers that died, and wakes workers that missed a notification. Runs one statement per process and check.
 * BullMQ's own stalled check, which it replaces, writes twice per queue, worker and second, and polls with four more statements. All
 * comparisons use the database's clock, so a process with a wrong clock cannot delay the check for the others.
 */
export class PostgresWatch {
  private readonly parts: PostgresWatchParts;
  private readonly statements: ReturnType<typeof buildStatements>;
  private readonly workedQueues = new Set<string>();
  private everyMs = 1_000;
  private lockMs = 6_500;
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> | undefined;
  private closed = false;
  /** Time of the last successful check, by `performance.now()`. */
  private checkedAt = -Infinity;

  constructor(parts: PostgresWatchParts) {
    this.parts = parts;
    this.statements = buildStatements(parts.schema);
  }

  /** Adds a queue that this process works on, and starts the checks. */
  add(queue: string, { everyMs, lockMs }: { readonly everyMs: number; readonly lockMs: number }): void {
    this.workedQueues.add(queue);
    this.everyMs = everyMs;
    this.lockMs = lockMs;
    if (!this.closed) this.schedule(0);
  }

  /** Returns messages to their queues whose locks expired at least `expiredForMs` ago. Returns the number of messages. */
  async recoverStalled(expiredForMs: number): Promise<number> {
    const { rows } = await this.parts.query(this.statements.recoverStalled, [expiredForMs, MAX_LOCK_MS, this.lockMs]);
    const recovered = rows as { queue: string; id: QueuedMessageId }[];
    for (const { queue, id } of recovered) this.parts.onStalled(queue, id);
    return recovered.length;
  }

  /** Whether a check succeeded within the longest interval plus one second. */
  get hasAnsweredRecently(): boolean {
    return performance.now() - this.checkedAt < IDLE_INTERVAL_MS + 1_000;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.checking;
  }

  private schedule(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.checking) return this.schedule(this.everyMs);
      this.checking = this.check()
        .then(
          (busy) => (busy ? this.everyMs : Math.max(this.everyMs, Math.min(IDLE_INTERVAL_MS, this.lockMs * 0.75))),
          (error: unknown) => {
            this.checkedAt = -Infinity;
            this.parts.onError(error as Error);
            return this.everyMs;
          },
        )
        .then((next) => {
          this.checking = undefined;
          if (!this.closed) this.schedule(next);
        });
    }, ms);
    this.timer.unref();
  }

  /** Runs one check. Returns whether any message can be taken or is active. */
  private async check(): Promise<boolean> {
    const { rows } = await this.parts.query(this.statements.check, [MAX_LOCK_MS, queueNames]);
    this.checkedAt = performance.now();
    const queues = rows as WatchedQueue[];
    if (queues.some(({ lost }) => lost)) await this.recoverStalled(0);
    for (const { queue, ready } of queues) if (ready && this.workedQueues.has(queue)) this.parts.wake(queue);
    return queues.some(({ busy }) => busy);
  }
}

function buildStatements(schema: string) {
  const unlocked = `(locked_until_ms < ${DATABASE_NOW_SQL} - $1::bigint OR locked_until_ms > ${DATABASE_NOW_SQL} + $2::bigint)`;
  return {
    // Each EXISTS uses one of BullMQ's partial indexes, so the cost does not depend on the number of messages.
    check: `
      SELECT q.queue, p.waiting OR p.due AS ready, p.waiting OR p.due OR p.active AS busy, p.lost
        FROM unnest($2::text[]) AS q (queue) CROSS JOIN LATERAL (SELECT
          EXISTS (SELECT FROM ${schema}.job j WHERE j.queue = q.queue AND j.state = 'waiting') AS waiting,
          EXISTS (SELECT FROM ${schema}.job j
                   WHERE j.queue = q.queue AND j.state = 'delayed' AND j.process_at_ms <= ${DATABASE_NOW_SQL}) AS due,
          EXISTS (SELECT FROM ${schema}.job j WHERE j.queue = q.queue AND j.state = 'active') AS active,
          EXISTS (SELECT FROM ${schema}.job j
                   WHERE j.queue = q.queue AND j.state = 'active'
                     AND (j.locked_until_ms < ${DATABASE_NOW_SQL} OR j.locked_until_ms > ${DATABASE_NOW_SQL} + $1::bigint)) AS lost
        ) AS p`,
    recoverStalled: `
      WITH unlocked AS (
        SELECT queue, id, locked_until_ms > ${DATABASE_NOW_SQL} + $2::bigint AS too_long
          FROM ${schema}.job WHERE state = 'active' AND ${unlocked}
           FOR UPDATE SKIP LOCKED
      ), shortened AS (
        -- The worker may be alive: it gets one more lock period to renew.
        UPDATE ${schema}.job j SET locked_until_ms = ${DATABASE_NOW_SQL} + $3::bigint
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
