import type { Logger } from 'pino';

export interface ShutdownStep {
  readonly name: string;
  readonly run: (remainingMs: number) => Promise<unknown>;
}

/**
 * The way out of a process: marks it, aborts `signal`, then runs the steps in their order, all within one limit of time.
 * A step that fails or hangs is logged and left behind: whatever was in the works is delivered again to another process.
 */
export class Shutdown {
  readonly #abort = new AbortController();
  #running: Promise<boolean> | undefined;

  constructor(
    private readonly logger: Logger,
    private readonly timeoutMs: number,
  ) {}

  /** Aborted when the shutdown begins: long polls, tails and streams end on it. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get began(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves with whether all steps ended in time. A second call waits for the first one's end. */
  run(reason: string, steps: readonly ShutdownStep[], level: 'info' | 'debug' = 'info'): Promise<boolean> {
    this.#running ??= this.#run(reason, steps, level);
    return this.#running;
  }

  async #run(reason: string, steps: readonly ShutdownStep[], level: 'info' | 'debug'): Promise<boolean> {
    const began = performance.now();
    this.logger[level]({ reason }, 'shutting down');
    this.#abort.abort(new Error(`The service is shutting down: ${reason}.`));
    let clean = true;
    for (const { name, run } of steps) {
      const remainingMs = Math.max(0, this.timeoutMs - (performance.now() - began));
      clean = (await this.#step(name, run, remainingMs)) && clean;
    }
    this.logger[level]({ milliseconds: Math.round(performance.now() - began), clean }, 'shut down');
    return clean;
  }

  async #step(name: string, run: ShutdownStep['run'], remainingMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`no end after ${remainingMs} ms; left behind`)), remainingMs);
    });
    try {
      await Promise.race([Promise.resolve().then(() => run(remainingMs)), late]);
      return true;
    } catch (error) {
      this.logger.warn({ step: name, error }, 'a step of the shutdown failed');
      return false;
    } finally {
      clearTimeout(timer);
    }
  }
}
