import type { Kysely } from 'kysely';
import type pg from 'pg';
import { kyselyOver } from '../database/kysely.js';
import type { EventStoreTables } from '../database/tables.js';
import { tendLeases, type ReaderPositions, type TendedLeases, type TendedReader } from './tend-leases.js';

/** A reader of the log in this process. */
export interface RoundReader {
  /** Longest time between two rounds, in milliseconds. */
  readonly everyMs: number;
  /** Whether its rounds may be further apart while the log is at rest. */
  readonly mayRest: boolean;
  /** What the next round says for it; undefined when the reader wants no part of it. */
  positions(): ReaderPositions | undefined;
  /** Receives the outcome of a round that was begun at `askedAt` (`performance.now()`). Never rejects. */
  tended(outcome: TendedReader, askedAt: number): Promise<void>;
  failed(error: unknown): void;
  /** Reads the log now. */
  wake(): void;
}

/** Without a new event for this long the log is at rest. Calls of models are often longer than the time between events. */
const RESTS_AFTER_MS = 30_000;
/** Time between two rounds while the log is at rest: also how late an event may be seen that no notification announces. */
const REST_ROUND_MS = 2_000;
/** What an older round saw says nothing about now. */
const STALE_AFTER_MS = 3 * REST_ROUND_MS;

/**
 * Keeps the leases of all readers of a process, and notices whether anything happens in the log. While the log is at rest no reader
 * polls it: one statement per process and round looks for all of them, and wakes them as soon as there is a new event. Control events
 * are announced besides, and end the rest at once.
 */
export class TailRounds {
  private readonly db: Kysely<EventStoreTables>;
  private readonly readers = new Set<RoundReader>();
  private running: Promise<void> | undefined;
  private underWay: Promise<unknown> | undefined;
  private endPause: (() => void) | undefined;
  /** Of the newest event that a round saw. */
  private newest: string | undefined;
  private unchangedFrom: number | undefined;
  private observedAt = -Infinity;
  /** By reader. */
  private readonly alone = new WeakMap<RoundReader, boolean>();

  constructor(
    pool: pg.Pool,
    private readonly restsAfterMs: number,
  ) {
    this.db = kyselyOver(pool);
  }

  /** Has the first round for a reader alone, so that it fails by itself, and takes it into the rounds of all. */
  async join(reader: RoundReader): Promise<void> {
    const positions = reader.positions();
    if (positions) {
      const askedAt = performance.now();
      const outcome = await tendLeases(this.db, [positions]);
      this.observe(outcome);
      await this.tell(reader, outcome.readers[0]!, askedAt);
    }
    this.readers.add(reader);
    this.running ??= this.run();
    // The new reader may need shorter pauses than the one that the others are in.
    this.endPause?.();
  }

  /** No round says anything for the reader any more when it resolves. */
  async leave(reader: RoundReader): Promise<void> {
    this.readers.delete(reader);
    this.endPause?.();
    await this.underWay;
  }

  /** Ends the rest, because there is a new event, or may be one. */
  noteChange(): void {
    const wasAtRest = this.isAtRest();
    this.unchangedFrom = undefined;
    if (!wasAtRest) return;
    for (const reader of this.readers) reader.wake();
    this.endPause?.();
  }

  /** Whether the log has not changed for some time, so that readers that have read everything need not poll it. */
  isAtRest(): boolean {
    const since = this.unchangedSince;
    return since !== undefined && performance.now() - since > this.restsAfterMs;
  }

  /**
   * From when to the last round the log is known to be unchanged, by `performance.now()`; undefined when it is not known: the last
   * round was too long ago, or a transaction is open that may add an event in front of those that are there.
   */
  get unchangedSince(): number | undefined {
    return performance.now() - this.observedAt < STALE_AFTER_MS ? this.unchangedFrom : undefined;
  }

  private async run(): Promise<void> {
    while (this.readers.size > 0) {
      await this.pause(this.everyMs());
      if (this.readers.size === 0) break;
      this.underWay = this.round();
      await this.underWay;
      this.underWay = undefined;
    }
    this.running = undefined;
  }

  /** Never rejects. */
  private async round(): Promise<void> {
    const pairs = [...this.readers].flatMap((reader) => {
      const positions = reader.positions();
      return positions ? [{ reader, positions }] : [];
    });
    if (pairs.length === 0) return;
    const askedAt = performance.now();
    try {
      const outcome = await tendLeases(
        this.db,
        pairs.map(({ positions }) => positions),
      );
      this.observe(outcome);
      await Promise.all(pairs.map(({ reader }, index) => this.tell(reader, outcome.readers[index]!, askedAt)));
    } catch (error) {
      for (const { reader } of pairs) reader.failed(error);
    }
  }

  private async tell(reader: RoundReader, outcome: TendedReader, askedAt: number): Promise<void> {
    this.alone.set(reader, outcome.alone);
    await reader.tended(outcome, askedAt);
  }

  private observe({ newest, settled }: TendedLeases): void {
    const place = newest ? `${newest.transactionId}/${newest.position}` : '';
    const changed = place !== this.newest;
    this.newest = place;
    this.observedAt = performance.now();
    if (changed) this.noteChange();
    // An event of an older transaction may still appear, and it would not be the newest.
    if (!settled) this.unchangedFrom = undefined;
    else this.unchangedFrom ??= this.observedAt;
  }

  /** A replica that joins waits for its share, and one that leaves for others to take it: only who is alone may take its time. */
  private everyMs(): number {
    const readers = [...this.readers];
    const shortest = Math.min(...readers.map(({ everyMs }) => everyMs));
    const mayRest = this.isAtRest() && readers.every((reader) => reader.mayRest && this.alone.get(reader) === true);
    return mayRest ? Math.max(shortest, REST_ROUND_MS) : shortest;
  }

  private async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.endPause = undefined;
  }
}

const byPool = new WeakMap<pg.Pool, TailRounds>();

/** The rounds for all readers of a pool. Other times of rest than the default are for specs, and count for the first call. */
export function tailRounds(pool: pg.Pool, restsAfterMs = RESTS_AFTER_MS): TailRounds {
  const known = byPool.get(pool);
  if (known) return known;
  const rounds = new TailRounds(pool, restsAfterMs);
  byPool.set(pool, rounds);
  return rounds;
}
