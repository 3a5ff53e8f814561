import { AsyncLocalStorage } from 'node:async_hooks';
import { formatDuration } from './format-duration.js';

/** A piece of work that this process is doing. */
interface Work {
  readonly name: string;
  /** Current activity, for people. */
  doing: string;
  progressedAt: number;
  /** Maximum time without progress, in milliseconds. */
  limitMs: number;
}

export interface ProgressOptions {
  /** Default maximum time without progress. */
  readonly limitMs: number;
  /** A monotonic clock in milliseconds; for specs. */
  readonly now?: () => number;
}

/** Work that has made no progress for longer than its limit. */
export interface Stall {
  readonly name: string;
  /** Milliseconds since its last progress. */
  readonly silentMs: number;
  /** Explanation for people. */
  readonly reason: string;
}

/**
 * Detects work that makes no progress. Progress is an append, bytes from a model, a step of a tool. Code reports it with `touch`, which
 * finds the current work through the async context.
 *
 * ```ts
 * await progress.run('phase-1', async () => {
 *   await progress.within('waits for the model', 60_000, () => model.complete(…, { onBytes: () => progress.touch() }));
 * });
 * ```
 */
export class Progress {
  private readonly works = new Set<Work>();
  private readonly current = new AsyncLocalStorage<Work>();
  private readonly limitMs: number;
  private readonly now: () => number;

  constructor({ limitMs, now = () => performance.now() }: ProgressOptions) {
    this.limitMs = limitMs;
    this.now = now;
  }

  /** Runs a piece of work and monitors its progress until it ends. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const held: Work = { name, doing: 'has started', progressedAt: this.now(), limitMs: this.limitMs };
    this.works.add(held);
    try {
      return await this.current.run(held, work);
    } finally {
      this.works.delete(held);
    }
  }

  /** Reports progress of the current work. Does nothing outside `run`. */
  touch(): void {
    const work = this.current.getStore();
    if (work) work.progressedAt = this.now();
  }

  /** Sets the limit of the current work, until it is set again or the enclosing `within` ends. Counts as progress. */
  setLimit(limitMs: number): void {
    const work = this.current.getStore();
    if (!work) return;
    work.progressedAt = this.now();
    work.limitMs = limitMs;
  }

  /** Runs a part of the current work with its own limit. `doing` completes "…, which", for example "waits for the model". */
  async runPart<T>(doing: string, limitMs: number, part: () => Promise<T>): Promise<T> {
    const work = this.current.getStore();
    if (!work) return part();
    const before = { doing: work.doing, limitMs: work.limitMs };
    Object.assign(work, { doing, limitMs, progressedAt: this.now() });
    try {
      return await part();
    } finally {
      Object.assign(work, before, { progressedAt: this.now() });
    }
  }

  /** Number of pieces of work that are running. */
  get workCount(): number {
    return this.works.size;
  }

  /** Work that has exceeded its limit, the longest stall first. */
  findStalls(): Stall[] {
    const now = this.now();
    return [...this.works]
      .filter(({ progressedAt, limitMs }) => now - progressedAt > limitMs)
      .map(({ name, doing, progressedAt, limitMs }) => {
        const silentMs = now - progressedAt;
        const reason = `${name}, which ${doing}, has made no progress for ${formatDuration(silentMs)}; its limit is ${formatDuration(limitMs)}`;
        return { name, silentMs, reason };
      })
      .sort((a, b) => b.silentMs - a.silentMs);
  }

  /** Readiness check: describes the longest stall; undefined if no work is stalled. */
  describeStall(): string | undefined {
    const [worst, ...others] = this.findStalls();
    if (!worst) return undefined;
    return others.length === 0
      ? worst.reason
      : `${worst.reason}; ${others.length} more of ${this.workCount} are stalled`;
  }
}
