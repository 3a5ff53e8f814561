import type { QueueName } from '@phaseline/contracts';
import type { DeliveryResult } from './handler.js';

/** Messages of a queue in one minute, according to one process. */
interface HandledMinute {
  readonly queue: QueueName;
  /** Number of the minute since 1970. */
  readonly minute: number;
  /** Handled messages that became due in this minute. */
  readonly due: number;
  /** Messages whose handling ended in this minute. */
  readonly done: number;
}

const MINUTE_MS = 60_000;
/** Minutes that are kept: those of the longest window that readers use, and the current one. */
const KEPT_MINUTES = 10;

/** Counts the messages that this process has finished in the last minutes, so that rates can be computed without a stored history. */
export class DeliveryCounts {
  private readonly byMinute = new Map<string, HandledMinute>();

  /** Only deliveries of `queues` are counted. */
  constructor(private readonly queues: readonly QueueName[]) {}

  /** Counts a delivery if it ended its message. `now` is in epoch milliseconds. */
  record({ queue, outcome, dueAt }: Pick<DeliveryResult, 'queue' | 'outcome' | 'dueAt'>, now: number): void {
    if (!this.queues.includes(queue) || (outcome !== 'completed' && outcome !== 'dead-lettered')) return;
    // A clock that is slightly ahead does not make a message due after its end.
    this.add(queue, Math.min(dueAt, now), 'due');
    this.add(queue, now, 'done');
    this.removeBefore(toMinute(now) - KEPT_MINUTES);
  }

  /** Returns the counts of the last minutes. `now` is in epoch milliseconds. */
  list(now: number): readonly HandledMinute[] {
    this.removeBefore(toMinute(now) - KEPT_MINUTES);
    return [...this.byMinute.values()];
  }

  private add(queue: QueueName, at: number, count: 'due' | 'done'): void {
    const minute = toMinute(at);
    const key = `${queue}/${minute}`;
    const known = this.byMinute.get(key) ?? { queue, minute, due: 0, done: 0 };
    this.byMinute.set(key, { ...known, [count]: known[count] + 1 });
  }

  private removeBefore(first: number): void {
    for (const [key, { minute }] of this.byMinute) if (minute < first) this.byMinute.delete(key);
  }
}

function toMinute(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}
