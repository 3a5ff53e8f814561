/** Thresholds above which checks warn. Specs use smaller ones. */
export interface Limits {
  readonly nodeMajor: number;
  readonly postgresMajor: number;
  readonly redis: readonly [major: number, minor: number];
  /** Time within which the reconciler resolves what it can: several of its passes and the detection of a dead process. */
  readonly reconcilerGraceMs: number;
  /** Lag of a reader of the log. Ten times this is a failure. */
  readonly readerLagMs: number;
  /** Age of an open transaction. Ten times this is a failure. */
  readonly transactionAgeMs: number;
  /** Offset of a clock from that of the database. Thirty times this is a failure. */
  readonly clockOffsetMs: number;
  /** Time that a message may wait on a queue. */
  readonly messageAgeMs: number;
  /** Free disk space. A tenth of this is a failure. */
  readonly freeBytes: number;
  /** Age of the oldest event that no anchor covers. */
  readonly anchorAgeMs: number;
  /** Age of the last run of retention, while something is due. */
  readonly retentionAgeMs: number;
  /** Age of the last complete removal of old rows of a table. */
  readonly cleaningAgeMs: number;
}

const MB = 1_024 * 1_024;

export const defaultLimits: Limits = {
  nodeMajor: 24,
  // For virtual generated columns.
  postgresMajor: 18,
  // For the scripts of BullMQ.
  redis: [6, 2],
  reconcilerGraceMs: 20_000,
  readerLagMs: 5_000,
  transactionAgeMs: 30_000,
  // Processes measure deadlines with their own clocks. People notice timers that are off by about twice this offset.
  clockOffsetMs: 1_000,
  messageAgeMs: 60_000,
  freeBytes: 1_024 * MB,
  anchorAgeMs: 24 * 3_600_000,
  // Two of the intervals at which the service starts runs.
  retentionAgeMs: 48 * 3_600_000,
  // Many of the intervals at which an orchestrator cleans a table.
  cleaningAgeMs: 24 * 3_600_000,
};
