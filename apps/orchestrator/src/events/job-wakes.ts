/**
 * Lets streams wait until something may have happened to a job: until the log says so, or some time has passed. Wake-ups are
 * hints; whoever waits looks for itself.
 */
export class JobWakes {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Something happened to this job. */
  wake(jobId: string): void {
    for (const go of this.#waiting.get(jobId) ?? []) go();
  }

  /** Something may have happened to any job: wake-ups were missed. */
  wakeAll(): void {
    for (const jobId of this.#waiting.keys()) this.wake(jobId);
  }

  /** Begins to listen at once, so that a wake-up between a look at the log and the wait for more is not lost. */
  listen(jobId: string): JobWake {
    let woken = Promise.withResolvers<void>();
    const go = (): void => woken.resolve();
    const listeners = this.#waiting.get(jobId) ?? new Set();
    this.#waiting.set(jobId, listeners.add(go));
    return {
      wait: async (ms, signal) => {
        if (signal.aborted) return;
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
        signal.addEventListener('abort', go, { once: true });
        await Promise.race([woken.promise, late]);
        signal.removeEventListener('abort', go);
        clearTimeout(timer);
        woken = Promise.withResolvers<void>();
      },
      [Symbol.dispose]: () => {
        listeners.delete(go);
        if (listeners.size === 0) this.#waiting.delete(jobId);
      },
    };
  }

  /** How many jobs somebody waits for. */
  get size(): number {
    return this.#waiting.size;
  }
}

export interface JobWake extends Disposable {
  /** Returns after a wake-up since the last wait, after `ms`, or when the signal fires. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
