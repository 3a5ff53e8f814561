/**
 * A position in tail order: first by transaction, then by log position. Log positions alone are not sufficient, because a transaction
 * with a low position may commit after one with a higher position.
 */
export interface TailPosition {
  /** xid8, decimal. */
  readonly transactionId: string;
  readonly position: number;
}

export const TAIL_START: TailPosition = { transactionId: '0', position: 0 };

/** Compares tail positions: negative if `a` is before `b`, 0 if they are equal. */
export function compareTailPositions(a: TailPosition, b: TailPosition): number {
  if (a.transactionId === b.transactionId) return a.position - b.position;
  return BigInt(a.transactionId) < BigInt(b.transactionId) ? -1 : 1;
}
