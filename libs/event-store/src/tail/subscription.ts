import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { mapDatabaseError } from '../database/database-errors.js';
import { kyselyOver } from '../database/kysely.js';
import type { EventStoreTables } from '../database/tables.js';
import type { RecordedEvent } from '../read/recorded-event.js';
import { Leases, type HeldPosition, type LeasesOptions } from './leases.js';
import { scanTail } from './scan-tail.js';
import type { SubscriptionOptions } from './subscription-options.js';
import { LeaseLost } from './tail-errors.js';
import { compareTail, type TailPosition } from './tail-position.js';
import { tailRounds, type RoundReader, type TailRounds } from './tail-rounds.js';
import type { ReaderPositions, TendedReader } from './tend-leases.js';

const PARTITIONS = 8;
const PAGE_SIZE = 100;
const POLL_MS = 250;
/** As long as a process may be silent (processes/process-registry.ts): renewed every second, it outlasts a block of 5 s. */
const LEASE_MS = 7_000;
/** Leases are looked after at least this often, so that a replica that joins has its share after about a second. */
const TEND_MS = 1_000;
/** Time between two reads while the log is at rest. A round of the process wakes all readers as soon as there is something to read. */
const REST_POLL_MS = 60_000;
/** First pause after a wake that found nothing: the event is committed, but an older transaction still bars the gate. */
const SHORTEST_POLL_MS = 2;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

/** A partition this replica holds. */
interface Share {
  readonly partition: number;
  readonly epoch: string;
  /** Everything up to here is handled. */
  cursor: TailPosition;
  /** The handler's work under way; at most one a partition, so that order is kept. */
  work: Promise<void> | undefined;
  leaving: boolean;
}

/**
 * Follows the log: hands every event of certain types to a handler, in order within a correlation, skipping none.
 * Replicas under the same name share the partitions; one that dies is replaced after its lease has run out.
 *
 * ```ts
 * const subscription = new Subscription(pool, { name: 'orchestrator', types: ['PhaseCompleted'], handle: async (events) => { … } });
 * await subscription.start();
 * await subscription.close();
 * ```
 *
 * A transaction that stays open anywhere in the database server and has written something holds back every tail until
 * it ends (see scan-tail.ts). createPool bounds idle ones.
 */
export class Subscription {
  private readonly db: Kysely<EventStoreTables>;
  private readonly leases: Leases;
  private readonly lease: LeasesOptions;
  private readonly rounds: TailRounds;
  private readonly reader: RoundReader;
  private readonly shares = new Map<number, Share>();
  private readonly stop = new AbortController();
  private readonly partitions: number;
  private readonly leaseMs: number;
  private readonly pollMs: number;
  /** Until when the leases hold for certain, by this process's clock. */
  private heldUntil = 0;
  private pokes = 0;
  private wake: (() => void) | undefined;
  private isMember = false;
  /** What the round under way names. */
  private tending: readonly Share[] = [];
  private loop: Promise<void> | undefined;
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly pool: pg.Pool,
    private readonly options: SubscriptionOptions,
  ) {
    this.partitions = options.partitions ?? PARTITIONS;
    this.leaseMs = options.leaseMs ?? LEASE_MS;
    this.pollMs = options.pollMs ?? POLL_MS;
    this.db = kyselyOver(pool);
    // Every partition may wait on it at once.
    setMaxListeners(0, this.stop.signal);
    const owner = options.replicaId ?? randomUUID();
    this.lease = { name: options.name, partitions: this.partitions, owner, leaseMs: this.leaseMs };
    this.leases = new Leases(this.db, this.lease);
    this.rounds = tailRounds(pool);
    this.reader = {
      everyMs: options.tendMs ?? Math.min(TEND_MS, this.leaseMs / 4),
      mayRest: this.leaseMs >= LEASE_MS,
      positions: () => this.positions(),
      tended: (outcome, askedAt) => this.tended(outcome, askedAt),
      failed: (error) => this.roundFailed(error),
      wake: () => this.poke(),
    };
  }

  /** Begins to read. Throws PartitionsDiffer or DatabaseUnreachable; later failures go to `onError` and are tried again. */
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
      this.poke();
    });
    this.loop = this.readLoop();
  }

  /** Partitions held by this replica at the moment. */
  get held(): readonly number[] {
    return [...this.shares.keys()].sort((a, b) => a - b);
  }

  /**
   * Resolves when the partitions held by this replica have passed a place (`latestHorizon`): true, or false when the
   * time is up or it holds none.
   */
  async waitFor(horizon: TailPosition, timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const shares = [...this.shares.values()];
      if (shares.length > 0 && shares.every((share) => compareTail(share.cursor, horizon) >= 0)) return true;
      if (performance.now() >= deadline || this.stop.signal.aborted) return false;
      this.poke();
      await sleep(5);
    }
  }

  /**
   * Stops reading, waits for the handlers under way (at most `timeoutMs`, default 10 s) and gives the partitions back.
   * A handler that takes longer is left alone; its partition passes on when the lease runs out, and its page comes again.
   */
  async close(timeoutMs = 10_000): Promise<void> {
    if (this.stop.signal.aborted) return;
    this.stop.abort();
    this.unsubscribe?.();
    this.poke();
    await Promise.all([this.loop, this.rounds.leave(this.reader)]);
    const works = Promise.all([...this.shares.values()].map((share) => share.work));
    await Promise.race([works, sleep(timeoutMs, undefined, { ref: false })]);
    const done = [...this.shares.values()].filter((share) => !share.work);
    this.shares.clear();
    if (!this.loop) return;
    try {
      await this.leases.release(done);
      await this.leases.leave();
    } catch (error) {
      // The leases run out by themselves.
      this.report(error, undefined);
    }
  }

  /** Looks at the log now. */
  private poke(): void {
    this.pokes += 1;
    this.wake?.();
  }

  private async readLoop(): Promise<void> {
    let pause = this.pollMs;
    while (!this.stop.signal.aborted) {
      const pokes = this.pokes;
      let more = false;
      try {
        more = await this.readOnce();
      } catch (error) {
        this.report(error, undefined);
      }
      if (!more && this.pokes === pokes) await this.pause(pause);
      // Woken: look again in short and then longer intervals, since what woke us may not have passed the gate yet.
      pause = this.pokes === pokes ? this.pauseAfter(pause) : SHORTEST_POLL_MS;
    }
  }

  private pauseAfter(pause: number): number {
    return this.rounds.isAtRest() ? Math.max(this.pollMs, REST_POLL_MS) : Math.min(pause * 2, this.pollMs);
  }

  /** Ends with the time or with a poke. */
  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** One look at the tail for all partitions that are not at work. Those at the same place share a query, which soon are all. */
  private async readOnce(): Promise<boolean> {
    let more = false;
    for (const shares of this.idleSharesByPlace()) {
      const after = shares[0]?.cursor;
      if (!after || performance.now() >= this.heldUntil) continue;
      const wanted = shares.map((share) => share.partition);
      const scan = await scanTail(this.pool, { after, partitions: this.partitions, wanted, types: this.options.types });
      if (!scan.bound) continue;
      more ||= scan.more;
      for (const share of shares) {
        if (this.shares.get(share.partition) !== share || share.leaving) continue;
        const events = scan.events.get(share.partition);
        if (events) this.startWork(share, events, scan.bound);
        else share.cursor = scan.bound;
      }
    }
    return more;
  }

  private idleSharesByPlace(): Share[][] {
    const places = new Map<string, Share[]>();
    for (const share of this.shares.values()) {
      if (share.work || share.leaving) continue;
      const place = `${share.cursor.transactionId}/${share.cursor.position}`;
      const group = places.get(place);
      if (group) group.push(share);
      else places.set(place, [share]);
    }
    return [...places.values()];
  }

  private startWork(share: Share, events: readonly RecordedEvent[], bound: TailPosition): void {
    share.work = this.work(share, events, bound).finally(() => {
      share.work = undefined;
      this.poke();
    });
  }

  /** Hands over the events a page at a time; never rejects. A page that fails is repeated until it passes. */
  private async work(share: Share, events: readonly RecordedEvent[], bound: TailPosition): Promise<void> {
    const pageSize = this.options.pageSize ?? PAGE_SIZE;
    let retry = FIRST_RETRY_MS;
    for (let done = 0; done < events.length;) {
      if (!this.mayWorkOn(share)) return;
      const page = events.slice(done, done + pageSize);
      const last = page.at(-1) as RecordedEvent;
      const cursor: TailPosition =
        done + page.length === events.length ? bound : { transactionId: last.transactionId, position: last.position };
      try {
        await this.handle(share, page, cursor);
        share.cursor = cursor;
        done += page.length;
        retry = FIRST_RETRY_MS;
      } catch (error) {
        this.report(error, share.partition);
        if (error instanceof LeaseLost) {
          if (this.shares.get(share.partition) === share) this.shares.delete(share.partition);
          return;
        }
        await sleep(retry, undefined, { signal: this.stop.signal }).catch(() => undefined);
        retry = Math.min(retry * 2, LONGEST_RETRY_MS);
      }
    }
  }

  private async handle(share: Share, page: readonly RecordedEvent[], cursor: TailPosition): Promise<void> {
    const { options } = this;
    const context = { partition: share.partition, signal: this.stop.signal };
    if ('handle' in options) {
      await options.handle(page, context);
      await this.leases.save(this.db, share, cursor);
    } else {
      await this.db.transaction().execute(async (trx) => {
        await options.handleInTransaction(trx, page, context);
        // Last, so that the row is locked for no longer than needed. It fails when the lease has passed on.
        await this.leases.save(trx, share, cursor);
      });
    }
  }

  private mayWorkOn(share: Share): boolean {
    return (
      !this.stop.signal.aborted &&
      !share.leaving &&
      this.shares.get(share.partition) === share &&
      performance.now() < this.heldUntil
    );
  }

  private positions(): ReaderPositions | undefined {
    if (!this.options.paused?.()) {
      this.isMember = true;
      this.tending = [...this.shares.values()];
      return { ...this.lease, held: this.tending };
    }
    if (this.isMember) void this.stepAside();
    return undefined;
  }

  /** Leaves the partitions to other replicas. What is under way is repeated by them, since its checkpoint is refused. */
  private async stepAside(): Promise<void> {
    this.isMember = false;
    try {
      await this.giveBack([...this.shares.values()]);
      await this.leases.leave();
    } catch (error) {
      // The leases run out by themselves.
      this.report(error, undefined);
    }
  }

  /** After a round: drops what was lost, gives back what is too much, takes what is missing to the fair share. */
  private async tended({ fairShare, kept }: TendedReader, askedAt: number): Promise<void> {
    if (this.stop.signal.aborted || !this.isMember) return;
    try {
      this.heldUntil = askedAt + this.leaseMs;
      for (const share of this.tending) {
        if (!kept.has(share.partition) && this.shares.get(share.partition) === share) {
          this.report(new LeaseLost(this.options.name, share.partition), share.partition);
          this.shares.delete(share.partition);
        }
      }
      for (const [index, share] of [...this.shares.values()].entries()) share.leaving = index >= fairShare;
      // One at work goes when its page is done, at a later round.
      await this.giveBack([...this.shares.values()].filter((share) => share.leaving && !share.work));
      if (this.shares.size < fairShare) {
        for (const claimed of await this.leases.claim(fairShare - this.shares.size, [...this.shares.keys()]))
          this.add(claimed);
        this.poke();
      }
    } catch (error) {
      this.roundFailed(error);
    }
  }

  private roundFailed(error: unknown): void {
    this.report(error, undefined);
    // Somebody else may hold them by now. Claimed again, they come with a new epoch and the stored checkpoint.
    if (performance.now() >= this.heldUntil) this.shares.clear();
  }

  private add({ partition, epoch, cursor }: HeldPosition): void {
    this.shares.set(partition, { partition, epoch, cursor, work: undefined, leaving: false });
  }

  private async giveBack(shares: readonly Share[]): Promise<void> {
    for (const share of shares) this.shares.delete(share.partition);
    await this.leases.release(shares);
  }

  private report(error: unknown, partition: number | undefined): void {
    this.options.onError?.(mapDatabaseError(error) as Error, partition);
  }
}
