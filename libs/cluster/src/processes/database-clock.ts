/** Maximum difference between the clocks of a process and of the database in milliseconds. Beyond it, the process accepts no work. */
export const MAX_CLOCK_DIFFERENCE_MS = 30_000;

interface Clocks {
  /** The wall clock of this process, in epoch milliseconds. */
  readonly wall: () => number;
  /** A monotonic clock in milliseconds. */
  readonly steady: () => number;
}

interface Observation {
  readonly database: number;
  readonly at: number;
  /** Maximum error of `at` in milliseconds. */
  readonly within: number;
}

/**
 * Estimates the clock of the database: its last known time, advanced by the monotonic clock of this process. Use it to compare with
 * times written by the database or by other processes: clocks of machines need not agree, and clock changes on this machine have no
 * effect.
 */
export class DatabaseClock {
  private known: Observation | undefined;

  constructor(private readonly clocks: Clocks = { wall: () => Date.now(), steady: () => performance.now() }) {}

  /** Returns the start time to pass to `observe` after querying the database. */
  startObservation(): number {
    return this.clocks.steady();
  }

  /** Records the time of the database, which was read between `askedAt` and now. */
  observe(databaseMs: number, askedAt: number): void {
    const answeredAt = this.clocks.steady();
    const at = (askedAt + answeredAt) / 2;
    const within = (answeredAt - askedAt) / 2;
    const { known } = this;
    // Ignore a less precise observation unless it proves that the clock of the database was changed.
    if (known && within > known.within + 1) {
      const expected = known.database + at - known.at;
      if (Math.abs(expected - databaseMs) <= within + known.within + 1) return;
    }
    this.known = { database: databaseMs, at, within };
  }

  /** Current time of the database. Before the first observation, the time of this process. */
  now(): Date {
    const { known } = this;
    if (!known) return new Date(this.clocks.wall());
    return new Date(Math.round(known.database + this.clocks.steady() - known.at));
  }

  /** Offset of this process's clock from the database's clock in milliseconds; negative if it is behind. */
  get aheadMs(): number {
    return this.known ? this.clocks.wall() - this.now().getTime() : 0;
  }

  /** Explains why this process accepts no work because of its clock; undefined if the difference is within the limit. */
  describeProblem(): string | undefined {
    const ahead = this.aheadMs;
    if (Math.abs(ahead) <= MAX_CLOCK_DIFFERENCE_MS) return undefined;
    const difference = `${Math.round(Math.abs(ahead) / 1_000)} s ${ahead > 0 ? 'ahead of' : 'behind'}`;
    return `the clock of this machine is ${difference} the database's, so this process accepts no work; synchronise the clocks of both machines (timedatectl set-ntp true)`;
  }
}
