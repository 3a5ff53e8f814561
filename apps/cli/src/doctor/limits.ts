/** From when on something is worth a word. Specs take smaller ones. */
export interface Limits {
  readonly nodeMajor: number;
  readonly postgresMajor: number;
  readonly redis: readonly [major: number, minor: number];
  /** Whatever the reconciler mends is mended by then: several of its passes, and the death of a process. */
  readonly mendedMs: number;
  /** A reader of the log this far behind is slow; ten times as far, it stands. */
  readonly lagMs: number;
  readonly transactionMs: number;
  readonly clockMs: number;
  readonly waitingMs: number;
  readonly freeBytes: number;
  readonly sealMs: number;
}

const MB = 1_024 * 1_024;

export const defaultLimits: Limits = {
  nodeMajor: 24,
  // Virtual generated columns.
  postgresMajor: 18,
  // BullMQ's scripts.
  redis: [6, 2],
  mendedMs: 20_000,
  lagMs: 5_000,
  transactionMs: 30_000,
  // Deadlines are kept by the clocks of processes: half of a timer that a person would notice.
  clockMs: 1_000,
  waitingMs: 60_000,
  freeBytes: 1_024 * MB,
  sealMs: 24 * 3_600_000,
};
