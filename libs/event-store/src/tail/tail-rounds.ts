import type { Kysely } from 'kysely';
import type pg from 'pg';
import { createKysely } from '../database/kysely.js';
import type { EventStoreTables } from '../database/tables.js';
import { Pause } from './pause.js';
import { renewLeases, type ReaderLeases, type LeaseRenewal, type ReaderRenewal } from './renew-leases.js';

/** A subscription of this process that takes part in the rounds. */
export interface RoundReader {
  /** Maximum time between two rounds in milliseconds. */
  readonly everyMs: number;
  /** Whether its rounds may be less frequent while the log is at rest. */
  readonly canRest: boolean;
  /** Returns the leases to renew in the next round; undefined to skip the round. */
  getLeases(): ReaderLeases | undefined;
  /** Called with the outcome of a round that started at `askedAt` (`performance.now()`). Must not reject. */
  onRenewed(outcome: ReaderRenewal, askedAt: number): Promise<void>;
  /** Called when a round fails. */
  onFailed(error: unknown): void;
  /** Called when the log must be read now. */
  wake(): void;
}

/** Time without a new event after which the log is at rest. The store announces the first event after a shorter pause. */
const RESTS_AFTER_MS = 3_000;
/** Time between rounds while the log is at rest, and so the maximum delay of an event whose notification got lost. */
const REST_ROUND_MS = 3_000;
/** Age at which the observation of a round is too old to rely on. */
const STALE_AFTER_MS = 3 * REST_ROUND_MS;

/**
 * Runs the renewal rounds of a process: one statement per round renews the leases of all its subscriptions and checks for new events.
 * While the log is at rest, no subscription polls it: the notification of the first new event ends the rest immediately, and rounds
 * detect events whose notifications got lost.
 */
export class TailRounds {
  private readonly db: Kysely<EventStoreTables>;
  private readonly readers = new Set<RoundReader>();
  private running: Promise<void> | undefined;
  private currentRound: Promise<unknown> | undefined;
  private readonly pause = new Pause();
  /** Tail position of the newest event in the last round. */
  private newest: string | undefined;
  private unchangedFrom: number | undefined;
  private observedAt = -Infinity;
  /** Whether a subscription has no other replicas. */
  private readonly isAlone = new WeakMap<RoundReader, boolean>();

  constructor(
    pool: pg.Pool,
    private readonly restsAfterMs: number,
  ) {
    this.db = createKysely(pool);
  }

  /** Runs a first round for this subscription alone, so that a failure affects only it, and adds it to the shared rounds. */
  async join(reader: RoundReader): Promise<void> {
    const positions = reader.getLeases();
    if (positions) {
      const askedAt = performance.now();
      const outcome = await renewLeases(this.db, [positions]);
      this.observe(outcome);
      await this.notify(reader, outcome.readers[0]!, askedAt);
    }
    this.readers.add(reader);
    this.running ??= this.run();
    // The new subscription may need a shorter pause than the current one.
    this.pause.end();
  }

  /** Removes a subscription from the rounds. After it resolves, no round renews its leases. */
  async leave(reader: RoundReader): Promise<void> {
    this.readers.delete(reader);
    this.pause.end();
    await this.currentRound;
  }

  /** Ends the rest, because there is or may be a new event. */
  noteChange(): void {
    const wasAtRest = this.isAtRest();
    this.unchangedFrom = undefined;
    if (!wasAtRest) return;
    for (const reader of this.readers) reader.wake();
    this.pause.end();
  }

  /** Whether the log has not changed for some time, so that subscriptions that are up to date need not poll it. */
  isAtRest(): boolean {
    const since = this.unchangedSince;
    return since !== undefined && performance.now() - since > this.restsAfterMs;
  }

  /**
   * Time (`performance.now()`) since which the log is known to be unchanged, up to the last round. Undefined if unknown: the last round
   * was too long ago, or an open transaction may still add an event before the newest one.
   */
  get unchangedSince(): number | undefined {
    return performance.now() - this.observedAt < STALE_AFTER_MS ? this.unchangedFrom : undefined;
  }

  private async run(): Promise<void> {
    while (this.readers.size > 0) {
      await this.pause.wait(this.intervalMs());
      if (this.readers.size === 0) break;
      this.currentRound = this.runRound();
      await this.currentRound;
      this.currentRound = undefined;
    }
    this.running = undefined;
  }

  /** Runs a round. Never rejects. */
  private async runRound(): Promise<void> {
    const pairs = [...this.readers].flatMap((reader) => {
      const positions = reader.getLeases();
      return positions ? [{ reader, positions }] : [];
    });
    if (pairs.length === 0) return;
    const askedAt = performance.now();
    try {
      const outcome = await renewLeases(
        this.db,
        pairs.map(({ positions }) => positions),
      );
      this.observe(outcome);
      await Promise.all(pairs.map(({ reader }, index) => this.notify(reader, outcome.readers[index]!, askedAt)));
    } catch (error) {
      for (const { reader } of pairs) reader.onFailed(error);
    }
  }

  private async notify(reader: RoundReader, outcome: ReaderRenewal, askedAt: number): Promise<void> {
    this.isAlone.set(reader, outcome.isAlone);
    await reader.onRenewed(outcome, askedAt);
  }

  private observe({ newest, isFinal }: LeaseRenewal): void {
    const position = newest ? `${newest.transactionId}/${newest.position}` : '';
    const hasChanged = position !== this.newest;
    this.newest = position;
    this.observedAt = performance.now();
    if (hasChanged) this.noteChange();
    // An older open transaction may still add an event that would not be the newest.
    if (!isFinal) this.unchangedFrom = undefined;
    else this.unchangedFrom ??= this.observedAt;
  }

  /** Returns the time to the next round. Rounds are less frequent only without other replicas, which may join or leave at any time. */
  private intervalMs(): number {
    const readers = [...this.readers];
    const shortest = Math.min(...readers.map(({ everyMs }) => everyMs));
    const canRest = this.isAtRest() && readers.every((reader) => reader.canRest && this.isAlone.get(reader) === true);
    return canRest ? Math.max(shortest, REST_ROUND_MS) : shortest;
  }
}

const byPool = new WeakMap<pg.Pool, TailRounds>();

/** Returns the rounds shared by all subscriptions of a pool. `restsAfterMs` is for specs and applies only in the first call. */
export function getTailRounds(pool: pg.Pool, restsAfterMs = RESTS_AFTER_MS): TailRounds {
  const rounds = byPool.get(pool) ?? new TailRounds(pool, restsAfterMs);
  byPool.set(pool, rounds);
  return rounds;
}
