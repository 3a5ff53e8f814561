import type { Logger } from 'pino';

export interface ShutdownStep {
  readonly name: string;
  readonly run: (remainingMs: number) => Promise<unknown>;
}

/**
 * Shuts a process down: aborts `signal`, then runs the steps in order within one time limit. A step that fails or hangs is logged and
 * abandoned; unfinished messages are delivered again to another process.
 */
export class Shutdown {
  private readonly abort = new AbortController();
  private running: Promise<boolean> | undefined;

  constructor(
    private readonly logger: Logger,
    private readonly timeoutMs: number,
  ) {}

  /** Aborted when the shutdown begins. Ends long polls, tails and streams. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  get hasBegun(): boolean {
    return this.running !== undefined;
  }

  /** Runs the shutdown. Resolves with whether all steps completed in time. Later calls return the result of the first. */
  run(reason: string, steps: readonly ShutdownStep[], level: 'info' | 'debug' = 'info'): Promise<boolean> {
    this.running ??= this.runSteps(reason, steps, level);
    return this.running;
  }

  private async runSteps(reason: string, steps: readonly ShutdownStep[], level: 'info' | 'debug'): Promise<boolean> {
    const startedAt = performance.now();
    this.logger[level]({ reason }, 'shutting down');
    this.abort.abort(new Error(`The service is shutting down: ${reason}.`));
    let clean = true;
    for (const { name, run } of steps) {
      const remainingMs = Math.max(0, this.timeoutMs - (performance.now() - startedAt));
      clean = (await this.runStep(name, run, remainingMs)) && clean;
    }
    this.logger[level]({ milliseconds: Math.round(performance.now() - startedAt), clean }, 'shut down');
    return clean;
  }

  private async runStep(name: string, run: ShutdownStep['run'], remainingMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`not finished after ${remainingMs} ms; abandoned`)), remainingMs);
    });
    try {
      await Promise.race([Promise.resolve().then(() => run(remainingMs)), timeout]);
      return true;
    } catch (error) {
      this.logger.warn({ step: name, error }, 'a shutdown step failed');
      return false;
    } finally {
      clearTimeout(timer);
    }
  }
}
