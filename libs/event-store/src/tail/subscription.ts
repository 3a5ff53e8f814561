import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { computeBackoffMs, sleepUntilAborted } from '@phaseline/basics';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { mapDatabaseError } from '../database/database-errors.js';
import { createKysely } from '../database/kysely.js';
import type { EventStoreTables } from '../database/tables.js';
import type { RecordedEvent } from '../read/recorded-event.js';
import { PartitionLeases, type ClaimedPartition, type PartitionLeasesOptions } from './partition-leases.js';
import { scanTail } from './scan-tail.js';
import type { SubscriptionOptions } from './subscription-options.js';
import { LeaseLost } from './tail-errors.js';
import { compareTailPositions, type TailPosition } from './tail-position.js';
import { Pause } from './pause.js';
import { getTailRounds, type RoundReader, type TailRounds } from './tail-rounds.js';
import type { ReaderLeases, ReaderRenewal } from './renew-leases.js';

const PARTITIONS = 8;
const PAGE_SIZE = 100;
const POLL_MS = 250;
/** Same as DEAD_AFTER_MS (processes/process-registry.ts). Renewed every second, a lease survives an event loop blocked for 5 s. */
const LEASE_MS = 7_000;
/** Short enough for a new replica to get its share of partitions within about a second. */
const RENEWAL_INTERVAL_MS = 1_000;
/** Polling interval while the log is at rest. The rounds of the process wake all subscriptions when there is a new event. */
const REST_POLL_MS = 60_000;
/** First pause after a wake-up that found nothing: the event is committed, but an older transaction is still open. */
const MIN_POLL_MS = 2;
const RETRY = { firstMs: 100, maxMs: 5_000 };

/** A partition that this replica holds the lease of. */
interface HeldPartition {
  readonly partition: number;
  readonly epoch: string;
  /** Tail position up to which all events are handled. */
  cursor: TailPosition;
  /** Running handler; at most one per partition, to keep the order. */
  work: Promise<void> | undefined;
  /** Whether to release the partition when the running handler ends. */
  isLeaving: boolean;
}

/**
 * Follows the log: calls a handler with every event of the requested types, in order within a correlation, without skipping any.
 * Replicas with the same name share the partitions; when one dies, others take over after its lease expires.
 *
 * ```ts
 * const subscription = new Subscription(pool, { name: 'orchestrator', types: ['PhaseCompleted'], handle: async (events) => { … } });
 * await subscription.start();
 * await subscription.close();
 * ```
 *
 * An open transaction that has written, in any database of the server, holds back all subscriptions until it ends (see scan-tail.ts).
 * createPool limits the time of idle transactions.
 */
export class Subscription {
  private readonly db: Kysely<EventStoreTables>;
  private readonly leases: PartitionLeases;
  private readonly leaseOptions: PartitionLeasesOptions;
  private readonly rounds: TailRounds;
  private readonly reader: RoundReader;
  private readonly heldPartitions = new Map<number, HeldPartition>();
  private readonly stop = new AbortController();
  private readonly partitions: number;
  private readonly leaseMs: number;
  private readonly pollMs: number;
  /** Time until which the leases are certainly valid, by `performance.now()`. */
  private leasedUntil = 0;
  private wakeUps = 0;
  private readonly pause = new Pause();
  /** The pause after a read that found events. A wake-up does not end it. */
  private readonly interval = new Pause();
  private isMember = false;
  /** Partitions in the current renewal round. */
  private renewing: readonly HeldPartition[] = [];
  private loop: Promise<void> | undefined;
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly pool: pg.Pool,
    private readonly options: SubscriptionOptions,
  ) {
    this.partitions = options.partitions ?? PARTITIONS;
    this.leaseMs = options.leaseMs ?? LEASE_MS;
    this.pollMs = options.pollMs ?? POLL_MS;
    this.db = createKysely(pool);
    // All partitions may listen to it at the same time.
    setMaxListeners(0, this.stop.signal);
    const owner = options.replicaId ?? randomUUID();
    this.leaseOptions = { name: options.name, partitions: this.partitions, owner, leaseMs: this.leaseMs };
    this.leases = new PartitionLeases(this.db, this.leaseOptions);
    this.rounds = getTailRounds(pool);
    this.reader = {
      everyMs: options.renewalIntervalMs ?? Math.min(RENEWAL_INTERVAL_MS, this.leaseMs / 4),
      canRest: this.leaseMs >= LEASE_MS,
      getLeases: () => this.positions(),
      onRenewed: (outcome, askedAt) => this.applyRenewal(outcome, askedAt),
      onFailed: (error) => this.handleRoundFailure(error),
      wake: () => this.wakeUp(),
    };
  }

  /** Starts reading. Throws PartitionsDiffer or DatabaseUnreachable; later failures are passed to `onError` and retried. */
  async start(): Promise<void> {
    if (this.loop) return;
    try {
      await this.leases.prepare();
      await this.rounds.join(this.reader);
    } catch (error) {
      throw mapDatabaseError(error);
    }
    this.unsubscribe = this.options.listener?.subscribe(() => {
      this.rounds.noteChange();
      this.wakeUp();
    });
    this.loop = this.readLoop();
  }

  /** Partitions that this replica currently holds. */
  get held(): readonly number[] {
    return [...this.heldPartitions.keys()].sort((a, b) => a - b);
  }

  /**
   * Waits until all partitions held by this replica have passed a tail position (`readLatestTailPosition`). Resolves to false on timeout or if it
   * holds no partition.
   */
  async waitFor(horizon: TailPosition, timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const held = [...this.heldPartitions.values()];
      if (held.length > 0 && held.every(({ cursor }) => compareTailPositions(cursor, horizon) >= 0)) return true;
      if (performance.now() >= deadline || this.stop.signal.aborted) return false;
      this.interval.end();
      this.wakeUp();
      await sleep(5);
    }
  }

  /**
   * Stops reading, waits for running handlers (at most `timeoutMs`, default 10 s) and releases the partitions. The partition of a
   * handler that takes longer is taken over when its lease expires, and its page is delivered again.
   */
  async close(timeoutMs = 10_000): Promise<void> {
    if (this.stop.signal.aborted) return;
    this.stop.abort();
    this.unsubscribe?.();
    this.interval.end();
    this.wakeUp();
    await Promise.all([this.loop, this.rounds.leave(this.reader)]);
    const running = Promise.all([...this.heldPartitions.values()].map(({ work }) => work));
    await Promise.race([running, sleep(timeoutMs, undefined, { ref: false })]);
    const idle = [...this.heldPartitions.values()].filter(({ work }) => !work);
    this.heldPartitions.clear();
    if (!this.loop) return;
    try {
      await this.leases.release(idle);
      await this.leases.leave();
    } catch (error) {
      // The leases will expire.
      this.report(error, undefined);
    }
  }

  /** Ends the current pause, so that the log is read now. */
  private wakeUp(): void {
    this.wakeUps += 1;
    this.pause.end();
  }

  private async readLoop(): Promise<void> {
    let pause = this.pollMs;
    while (!this.stop.signal.aborted) {
      const wakeUps = this.wakeUps;
      const began = performance.now();
      let more = false;
      try {
        const read = await this.readOnce();
        more = read.hasMore;
        const left = began + (this.options.minIntervalMs ?? 0) - performance.now();
        if (read.hasEvents && !more && left > 0 && !this.stop.signal.aborted) await this.interval.wait(left);
      } catch (error) {
        this.report(error, undefined);
      }
      if (!more && this.wakeUps === wakeUps) await this.pause.wait(pause);
      // After a wake-up, poll in short and then longer intervals: the new event may still be held back by an open transaction.
      pause = this.wakeUps === wakeUps ? this.nextPause(pause) : MIN_POLL_MS;
    }
  }

  private nextPause(pause: number): number {
    return this.rounds.isAtRest() ? Math.max(this.pollMs, REST_POLL_MS) : Math.min(pause * 2, this.pollMs);
  }

  /** Scans the tail once for all idle partitions. Partitions at the same tail position, usually all of them, share a query. */
  private async readOnce(): Promise<{ readonly hasEvents: boolean; readonly hasMore: boolean }> {
    let hasEvents = false;
    let hasMore = false;
    for (const group of this.groupIdlePartitions()) {
      const after = group[0]?.cursor;
      if (!after || performance.now() >= this.leasedUntil) continue;
      const wanted = group.map(({ partition }) => partition);
      const scan = await scanTail(
        this.pool,
        { after, partitions: this.partitions, wantedPartitions: wanted, types: this.options.types },
        this.options.cold,
      );
      if (!scan.bound) continue;
      hasEvents ||= scan.events.size > 0;
      hasMore ||= scan.hasMore;
      for (const held of group) {
        if (this.heldPartitions.get(held.partition) !== held || held.isLeaving) continue;
        const events = scan.events.get(held.partition);
        if (events) this.startWork(held, events, scan.bound);
        else held.cursor = scan.bound;
      }
    }
    return { hasEvents, hasMore };
  }

  /** Groups the idle partitions by tail position. */
  private groupIdlePartitions(): HeldPartition[][] {
    const idle = [...this.heldPartitions.values()].filter(({ work, isLeaving }) => !work && !isLeaving);
    return [...Map.groupBy(idle, ({ cursor }) => `${cursor.transactionId}/${cursor.position}`).values()];
  }

  private startWork(held: HeldPartition, events: readonly RecordedEvent[], bound: TailPosition): void {
    held.work = this.handleEvents(held, events, bound).finally(() => {
      held.work = undefined;
      this.wakeUp();
    });
  }

  /** Handles the events in pages. A page that fails is retried until it succeeds. Never rejects. */
  private async handleEvents(
    held: HeldPartition,
    events: readonly RecordedEvent[],
    bound: TailPosition,
  ): Promise<void> {
    const pageSize = this.options.pageSize ?? PAGE_SIZE;
    let failures = 0;
    for (let done = 0; done < events.length;) {
      if (!this.canWorkOn(held)) return;
      const page = events.slice(done, done + pageSize);
      const last = page.at(-1) as RecordedEvent;
      const cursor: TailPosition =
        done + page.length === events.length ? bound : { transactionId: last.transactionId, position: last.position };
      try {
        await this.handlePage(held, page, cursor);
        held.cursor = cursor;
        done += page.length;
        failures = 0;
      } catch (error) {
        this.report(error, held.partition);
        if (error instanceof LeaseLost) {
          if (this.heldPartitions.get(held.partition) === held) this.heldPartitions.delete(held.partition);
          return;
        }
        failures += 1;
        await sleepUntilAborted(computeBackoffMs(RETRY, failures), this.stop.signal);
      }
    }
  }

  /** Calls the handler and saves the checkpoint. Throws LeaseLost and the errors of the handler. */
  private async handlePage(held: HeldPartition, page: readonly RecordedEvent[], cursor: TailPosition): Promise<void> {
    const { options } = this;
    const context = { partition: held.partition, signal: this.stop.signal };
    if ('handle' in options) {
      await options.handle(page, context);
      await this.leases.save(this.db, held, cursor);
    } else {
      await this.db.transaction().execute(async (trx) => {
        await options.handleInTransaction(trx, page, context);
        // Save last, to lock the row only briefly. Throws if the lease was lost, which rolls back the writes of the handler.
        await this.leases.save(trx, held, cursor);
      });
    }
  }

  private canWorkOn(held: HeldPartition): boolean {
    return (
      !this.stop.signal.aborted &&
      !held.isLeaving &&
      this.heldPartitions.get(held.partition) === held &&
      performance.now() < this.leasedUntil
    );
  }

  /** Returns the leases to renew; undefined while the subscription is paused. */
  private positions(): ReaderLeases | undefined {
    if (!this.options.isPaused?.()) {
      this.isMember = true;
      this.renewing = [...this.heldPartitions.values()];
      return { ...this.leaseOptions, held: this.renewing };
    }
    if (this.isMember) void this.releaseAll();
    return undefined;
  }

  /** Releases all partitions to other replicas. They repeat running pages, whose checkpoints can no longer be saved. */
  private async releaseAll(): Promise<void> {
    this.isMember = false;
    try {
      await this.release([...this.heldPartitions.values()]);
      await this.leases.leave();
    } catch (error) {
      // The leases will expire.
      this.report(error, undefined);
    }
  }

  /** Applies the outcome of a renewal round: drops lost partitions, and releases or claims partitions to reach the fair share. */
  private async applyRenewal({ fairShare, renewedPartitions }: ReaderRenewal, askedAt: number): Promise<void> {
    if (this.stop.signal.aborted || !this.isMember) return;
    try {
      this.leasedUntil = askedAt + this.leaseMs;
      for (const held of this.renewing) {
        if (!renewedPartitions.has(held.partition) && this.heldPartitions.get(held.partition) === held) {
          this.report(new LeaseLost(this.options.name, held.partition), held.partition);
          this.heldPartitions.delete(held.partition);
        }
      }
      for (const [index, held] of [...this.heldPartitions.values()].entries()) held.isLeaving = index >= fairShare;
      // A partition with a running handler is released in a later round.
      await this.release([...this.heldPartitions.values()].filter(({ isLeaving, work }) => isLeaving && !work));
      const missing = fairShare - this.heldPartitions.size;
      if (missing > 0) {
        for (const claimed of await this.leases.claim(missing, [...this.heldPartitions.keys()])) this.add(claimed);
        this.wakeUp();
      }
    } catch (error) {
      this.handleRoundFailure(error);
    }
  }

  private handleRoundFailure(error: unknown): void {
    this.report(error, undefined);
    // Other replicas may hold the partitions in the meantime. Claiming them again returns a new epoch and the stored checkpoint.
    if (performance.now() >= this.leasedUntil) this.heldPartitions.clear();
  }

  private add({ partition, epoch, cursor }: ClaimedPartition): void {
    this.heldPartitions.set(partition, { partition, epoch, cursor, work: undefined, isLeaving: false });
  }

  private async release(partitions: readonly HeldPartition[]): Promise<void> {
    for (const { partition } of partitions) this.heldPartitions.delete(partition);
    await this.leases.release(partitions);
  }

  private report(error: unknown, partition: number | undefined): void {
    this.options.onError?.(mapDatabaseError(error) as Error, partition);
  }
}
