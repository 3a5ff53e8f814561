import type { Logger } from 'pino';
import type { Readiness } from './readiness.js';

/**
 * Runs the readiness checks every few seconds. Logs when the process becomes unready and ready again. The heartbeats of the process contain
 * the reasons, so that they are visible without access to its port.
 */
export class HealthWatch {
  private readonly timer: NodeJS.Timeout;
  private currentReasons: readonly string[] = [];
  private checking = false;

  constructor(
    private readonly readiness: Readiness,
    private readonly logger: Logger,
    everyMs: number,
  ) {
    this.timer = setInterval(() => void this.check(), everyMs);
    this.timer.unref();
  }

  /** Reasons why the service was not ready at the last check; empty if it was ready. */
  get reasons(): readonly string[] {
    return this.currentReasons;
  }

  /** Runs the checks once, unless they are running. Never rejects. */
  async check(): Promise<void> {
    if (this.checking) return;
    this.checking = true;
    try {
      const { ready, reasons } = await this.readiness.report();
      if (!ready && this.currentReasons.length === 0) this.logger.warn({ reasons }, 'not ready');
      if (ready && this.currentReasons.length > 0)
        this.logger.info({ previousReasons: this.currentReasons }, 'ready again');
      this.currentReasons = reasons;
    } finally {
      this.checking = false;
    }
  }

  close(): void {
    clearInterval(this.timer);
  }
}
