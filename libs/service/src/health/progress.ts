import { AsyncLocalStorage } from 'node:async_hooks';
import { duration } from './duration.js';

/** A piece of work that this process holds. */
interface Work {
  readonly name: string;
  /** What it does at the moment, for people. */
  doing: string;
  movedAt: number;
  /** How long it may be silent now. */
  limitMs: number;
}

export interface ProgressOptions {
  /** How long work may go without a sign of progress unless it says otherwise, in milliseconds. */
  readonly limitMs: number;
  /** Milliseconds of any clock that never goes back; for specs. */
  readonly now?: () => number;
}

/** Work that has not moved for longer than it may. */
export interface Stall {
  readonly name: string;
  readonly silentMs: number;
  /** For people. */
  readonly reason: string;
}

/**
 * Tells a process that works from one that only holds work. Progress is what changes something: an append, bytes of a
 * model, a step of a tool. Whoever makes some says so with `touch`, which finds the work it belongs to by itself.
 *
 * ```ts
 * await progress.run('phase-1', async () => {
 *   await progress.within('waits for the model', 60_000, () => model.complete(…, { onBytes: () => progress.touch() }));
 * });
 * ```
 */
export class Progress {
  readonly #works = new Set<Work>();
  readonly #current = new AsyncLocalStorage<Work>();
  readonly #limitMs: number;
  readonly #now: () => number;

  constructor({ limitMs, now = () => performance.now() }: ProgressOptions) {
    this.#limitMs = limitMs;
    this.#now = now;
  }

  /** Runs a piece of work. Until it ends it has to show progress. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const held: Work = { name, doing: 'has begun', movedAt: this.#now(), limitMs: this.#limitMs };
    this.#works.add(held);
    try {
      return await this.#current.run(held, work);
    } finally {
      this.#works.delete(held);
    }
  }

  /** The work at hand made progress. Outside of any work it does nothing. */
  touch(): void {
    const work = this.#current.getStore();
    if (work) work.movedAt = this.#now();
  }

  /** The work at hand may be silent for so long from now on, until it is told otherwise or `within` ends. */
  allow(limitMs: number): void {
    const work = this.#current.getStore();
    if (!work) return;
    work.movedAt = this.#now();
    work.limitMs = limitMs;
  }

  /** A part of the work at hand with patience of its own. `doing` completes "…, which". */
  async within<T>(doing: string, limitMs: number, part: () => Promise<T>): Promise<T> {
    const work = this.#current.getStore();
    if (!work) return part();
    const before = { doing: work.doing, limitMs: work.limitMs };
    Object.assign(work, { doing, limitMs, movedAt: this.#now() });
    try {
      return await part();
    } finally {
      Object.assign(work, before, { movedAt: this.#now() });
    }
  }

  /** Pieces of work that this process holds. */
  get held(): number {
    return this.#works.size;
  }

  /** What has not moved for longer than it may, the longest first. */
  stalls(): Stall[] {
    const now = this.#now();
    return [...this.#works]
      .filter(({ movedAt, limitMs }) => now - movedAt > limitMs)
      .map(({ name, doing, movedAt, limitMs }) => {
        const silentMs = now - movedAt;
        const reason = `${name}, which ${doing}, has not moved for ${duration(silentMs)}; it may be silent for ${duration(limitMs)}`;
        return { name, silentMs, reason };
      })
      .sort((a, b) => b.silentMs - a.silentMs);
  }

  /** A readiness check: why the service is not working although it holds work; undefined while all of it moves. */
  complaint(): string | undefined {
    const [worst, ...others] = this.stalls();
    if (!worst) return undefined;
    return others.length === 0 ? worst.reason : `${worst.reason}; and ${others.length} more of ${this.held} held`;
  }
}
