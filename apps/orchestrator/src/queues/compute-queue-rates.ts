import type { QueueDepth } from '@phaseline/client';

/** What happened on a queue in a window. */
export interface QueueCounts {
  /** Messages that wait now. */
  readonly waiting: number;
  /** Messages that became due in the window. */
  readonly arrived: number;
  /** Messages whose work ended in the window. */
  readonly completed: number;
}

type QueueRates = Pick<QueueDepth, 'arrivalsPerMinute' | 'completionsPerMinute' | 'drainSeconds' | 'isGrowing'>;

/** Computes the rates of a queue, and when it drains. `windowSeconds` is positive. */
export function computeQueueRates({ waiting, arrived, completed }: QueueCounts, windowSeconds: number): QueueRates {
  const rates = {
    arrivalsPerMinute: (arrived * 60) / windowSeconds,
    completionsPerMinute: (completed * 60) / windowSeconds,
  };
  if (waiting === 0) return { ...rates, isGrowing: false };
  if (completed <= arrived) return { ...rates, isGrowing: true };
  return { ...rates, drainSeconds: Math.ceil((waiting * windowSeconds) / (completed - arrived)), isGrowing: false };
}
