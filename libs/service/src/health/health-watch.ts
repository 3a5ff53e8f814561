import type { Logger } from 'pino';
import type { Readiness } from './readiness.js';

/**
 * Asks the readiness checks by itself every few seconds: the log tells when the process stops being able to work and when it
 * can again, and its heartbeats carry the reasons to whoever looks for them without reaching its port.
 */
export class HealthWatch {
  readonly #timer: NodeJS.Timeout;
  #reasons: readonly string[] = [];
  #asking = false;

  constructor(
    private readonly readiness: Readiness,
    private readonly logger: Logger,
    everyMs: number,
  ) {
    this.#timer = setInterval(() => void this.look(), everyMs);
    this.#timer.unref();
  }

  /** Why it could not work when it was asked last; empty when it could. */
  get reasons(): readonly string[] {
    return this.#reasons;
  }

  /** Never rejects. */
  async look(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      const { ready, reasons } = await this.readiness.report();
      if (!ready && this.#reasons.length === 0) this.logger.warn({ reasons }, 'not ready');
      if (ready && this.#reasons.length > 0) this.logger.info({ were: this.#reasons }, 'ready again');
      this.#reasons = reasons;
    } finally {
      this.#asking = false;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
