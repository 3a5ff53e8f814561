/** How far this process's clock may be from the database's before the process takes no work, in milliseconds. */
export const CLOCK_LIMIT_MS = 30_000;

interface Clocks {
  /** The wall clock of this process, in epoch milliseconds. */
  readonly wall: () => number;
  /** A clock that nobody sets. */
  readonly steady: () => number;
}

interface Observation {
  readonly database: number;
  readonly at: number;
  /** The database's clock was read at most this much before or after. */
  readonly within: number;
}

/**
 * The database's clock as seen from this process: its time when it was asked last, carried on by the monotonic clock. What is
 * compared with times that other processes or the database wrote is compared by this clock, so that they need not agree, and
 * steps of this machine's clock do nothing.
 */
export class DatabaseClock {
  private known: Observation | undefined;

  constructor(private readonly clocks: Clocks = { wall: () => Date.now(), steady: () => performance.now() }) {}

  /** The time for `observe` at which the database is asked. */
  ask(): number {
    return this.clocks.steady();
  }

  /** Takes down the database's time, read between `askedAt` and now. */
  observe(databaseMs: number, askedAt: number): void {
    const answeredAt = this.clocks.steady();
    const at = (askedAt + answeredAt) / 2;
    const within = (answeredAt - askedAt) / 2;
    const { known } = this;
    // A slow answer says less than what is known, unless it proves that the database's clock was set meanwhile.
    if (known && within > known.within + 1) {
      const expected = known.database + at - known.at;
      if (Math.abs(expected - databaseMs) <= within + known.within + 1) return;
    }
    this.known = { database: databaseMs, at, within };
  }

  /** The database's time; this process's own while the database was never asked. */
  now(): Date {
    const { known } = this;
    if (!known) return new Date(this.clocks.wall());
    return new Date(Math.round(known.database + this.clocks.steady() - known.at));
  }

  /** How far the clock of this process is ahead of the database's, in milliseconds; negative when it is behind. */
  get aheadMs(): number {
    return this.known ? this.clocks.wall() - this.now().getTime() : 0;
  }

  /** Why this process takes no work because of its clock; undefined when its clock is near enough. */
  complaint(): string | undefined {
    const ahead = this.aheadMs;
    if (Math.abs(ahead) <= CLOCK_LIMIT_MS) return undefined;
    const off = `${Math.round(Math.abs(ahead) / 1_000)} s ${ahead > 0 ? 'ahead of' : 'behind'}`;
    return `the clock of this machine is ${off} the database's, so this process takes no work; let both machines set their clocks by the network (timedatectl set-ntp true)`;
  }
}
