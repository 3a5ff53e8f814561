/**
 * A place in the order of the tail: first by transaction, then by position. Positions alone would not do, because a
 * transaction that took a low position may commit after one that took a higher one.
 */
export interface TailPosition {
  /** xid8, decimal. */
  readonly transactionId: string;
  readonly position: number;
}

export const TAIL_START: TailPosition = { transactionId: '0', position: 0 };

/** Negative when `a` comes before `b`, 0 when they are the same place. */
export function compareTail(a: TailPosition, b: TailPosition): number {
  if (a.transactionId === b.transactionId) return a.position - b.position;
  return BigInt(a.transactionId) < BigInt(b.transactionId) ? -1 : 1;
}
