import type { JobId } from '@phaseline/contracts';

/**
 * Lets streams wait until a job may have changed: until a notification, or until some time has passed. Wake-ups are
 * hints; the waiting stream reads the log itself.
 */
export class JobWakes {
  private readonly waiting = new Map<JobId, Set<() => void>>();

  /** Wakes the streams that wait for a job. */
  wake(jobId: JobId): void {
    for (const go of this.waiting.get(jobId) ?? []) go();
  }

  /** Wakes all streams, because notifications may have been missed. */
  wakeAll(): void {
    for (const jobId of this.waiting.keys()) this.wake(jobId);
  }

  /** Starts to listen immediately, so that a wake-up between reading the log and waiting is not lost. */
  listen(jobId: JobId): JobWake {
    let woken = Promise.withResolvers<void>();
    const go = (): void => woken.resolve();
    const listeners = this.waiting.get(jobId) ?? new Set();
    this.waiting.set(jobId, listeners.add(go));
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
        if (listeners.size === 0) this.waiting.delete(jobId);
      },
    };
  }

  /** Number of jobs that streams wait for. */
  get size(): number {
    return this.waiting.size;
  }
}

export interface JobWake extends Disposable {
  /** Returns after a wake-up since the last wait, after `ms`, or when the signal fires. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
