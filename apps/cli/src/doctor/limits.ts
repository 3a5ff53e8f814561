/** Thresholds above which checks warn. Specs use smaller ones. */
export interface Limits {
  readonly nodeMajor: number;
  readonly postgresMajor: number;
  readonly redis: readonly [major: number, minor: number];
  /** Time within which the reconciler resolves what it can: several of its passes and the detection of a dead process. */
  readonly mendedMs: number;
  /** Lag of a reader of the log. Ten times this is a failure. */
  readonly lagMs: number;
  /** Age of an open transaction. Ten times this is a failure. */
  readonly transactionMs: number;
  /** Offset of a clock from that of the database. Thirty times this is a failure. */
  readonly clockMs: number;
  /** Time that a message may wait on a queue. */
  readonly waitingMs: number;
  /** Free disk space. A tenth of this is a failure. */
  readonly freeBytes: number;
  /** Age of the oldest event that no anchor covers. */
  readonly sealMs: number;
}

const MB = 1_024 * 1_024;

export const defaultLimits: Limits = {
  nodeMajor: 24,
  // For virtual generated columns.
  postgresMajor: 18,
  // For the scripts of BullMQ.
  redis: [6, 2],
  mendedMs: 20_000,
  lagMs: 5_000,
  transactionMs: 30_000,
  // Processes keep deadlines by their own clocks; people notice timers that are off by about twice this.
  clockMs: 1_000,
  waitingMs: 60_000,
  freeBytes: 1_024 * MB,
  sealMs: 24 * 3_600_000,
};
