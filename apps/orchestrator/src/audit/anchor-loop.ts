import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { storeReceipts, createAnchors, readAuditKey, type AuditKey } from '@phaseline/audit';
import { DatabaseClock } from '@phaseline/cluster';
import { InjectConfig, InjectLogger, InjectPool, InjectShutdownSignal, Metrics } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Counter, Gauge } from 'prom-client';
import type { OrchestratorConfig } from '../orchestrator-config.js';

/**
 * Anchors the log at intervals if it has changed. Every replica tries; a lock in the database admits one at a time, and
 * the others skip while the last anchor is recent enough. Without PHASELINE_AUDIT_KEY_FILE the log is not anchored.
 */
@Injectable()
export class AnchorLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly outcomes: Counter<'outcome'>;
  private readonly anchored: Gauge;
  private running: Promise<void> | undefined;
  private failing: { readonly since: string; readonly message: string } | undefined;

  constructor(
    @InjectConfig() private readonly config: OrchestratorConfig,
    @InjectLogger() private readonly logger: Logger,
    @InjectPool() private readonly pool: Pool,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
    private readonly clock: DatabaseClock,
    metrics: Metrics,
  ) {
    this.outcomes = new Counter({
      name: 'phaseline_audit_anchors_total',
      help: 'Anchors of the log that this process made, and attempts that failed.',
      labelNames: ['outcome'],
      registers: [metrics.registry],
    });
    this.anchored = new Gauge({
      name: 'phaseline_audit_anchored_events',
      help: 'Events covered by the last anchor that this process made.',
      registers: [metrics.registry],
    });
  }

  /** Since when all attempts of this process have failed, and why the last one did; undefined if it succeeded. */
  get failure(): { readonly since: string; readonly message: string } | undefined {
    return this.failing;
  }

  /**
   * A configured key that cannot be read prevents the start: otherwise the log would grow without anchors unnoticed.
   *
   */
  async onApplicationBootstrap(): Promise<void> {
    const path = this.config.PHASELINE_AUDIT_KEY_FILE;
    if (path === undefined) {
      this.logger.info('the log is not anchored: PHASELINE_AUDIT_KEY_FILE is not set');
      return;
    }
    this.running = this.run(await readAuditKey(path));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private async run(key: AuditKey): Promise<void> {
    const interval = this.config.PHASELINE_AUDIT_ANCHOR_INTERVAL_MS;
    await this.storeReceipts();
    while (!this.shutdown.aborted) {
      // Randomised, so that replicas that started together do not run together.
      const pause = interval * (0.75 + Math.random() / 2);
      await sleep(pause, undefined, { signal: this.shutdown }).catch(() => undefined);
      if (!this.shutdown.aborted) await this.anchor(key, interval / 2);
    }
  }

  private async anchor(key: AuditKey, minAgeMs: number): Promise<void> {
    try {
      const anchors = await createAnchors(this.pool, key, {
        // The clock of the database, because another process may have made the last anchor.
        now: () => this.clock.now(),
        minAgeMs,
        wait: false,
        signal: this.shutdown,
      });
      this.failing = undefined;
      for (const { number, hash, streams, events } of anchors) {
        this.outcomes.inc({ outcome: 'made' });
        this.anchored.set(events);
        this.logger.info({ anchor: number, hash, streams, events, keyId: key.keyId }, 'anchored the log');
      }
      if (anchors.length > 0) await this.storeReceipts();
    } catch (error) {
      if (this.shutdown.aborted) return;
      this.outcomes.inc({ outcome: 'failed' });
      this.failing = {
        since: this.failing?.since ?? this.clock.now().toISOString(),
        message: error instanceof Error ? error.message : String(error),
      };
      this.logger.warn({ error }, 'the log could not be anchored; will retry');
    }
  }

  /**
   * Writes the receipts of all anchors that the configured folder does not contain yet, whichever process made them.
   */
  private async storeReceipts(): Promise<void> {
    const folder = this.config.PHASELINE_AUDIT_RECEIPTS_DIR;
    if (folder === undefined) return;
    try {
      const { added, contradicted } = await storeReceipts(this.pool, folder);
      if (added > 0) this.logger.info({ receipts: added, folder }, 'wrote receipts of anchors');
      if (contradicted)
        this.logger.error(
          { anchor: contradicted.number, hash: contradicted.hash, folder },
          'the log does not contain the anchor of the newest receipt: run phaseline audit verify with --receipt and this folder',
        );
    } catch (error) {
      if (this.shutdown.aborted) return;
      this.logger.warn({ error, folder }, 'receipts could not be written; retrying with the next anchor');
    }
  }
}
