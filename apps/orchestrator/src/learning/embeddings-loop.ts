import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Optional, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpEmbedder } from '@phaseline/embeddings';
import { fillEmbeddings } from '@phaseline/learning';
import { InjectLogger, InjectPool, InjectShutdownSignal } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/** Interval in milliseconds between searches for learning traces without embeddings, on average. */
const INTERVAL_MS = 10_000;
/** The same after a failure, so that a server that is down is not asked all the time. */
const FAILURE_INTERVAL_MS = 60_000;

/**
 * Asks for the embeddings of new learning traces, if a server is configured. The projection of learning traces does not wait for it: until a learning
 * trace has its embedding, it is found by its words.
 */
@Injectable()
export class EmbeddingsLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running: Promise<void> | undefined;

  constructor(
    @InjectLogger() private readonly logger: Logger,
    @InjectPool() private readonly pool: Pool,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
    @Optional() private readonly embedder?: HttpEmbedder,
  ) {}

  onApplicationBootstrap(): void {
    if (this.embedder) this.running = this.run(this.embedder);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private async run(embedder: HttpEmbedder): Promise<void> {
    while (!this.shutdown.aborted) {
      const pauseMs = await this.fill(embedder).catch((error: unknown) => {
        if (!this.shutdown.aborted)
          this.logger.warn({ error }, 'embeddings of learning traces could not be computed; will retry');
        return FAILURE_INTERVAL_MS;
      });
      // Randomised, so that replicas seldom ask for the same embeddings.
      await sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal: this.shutdown, ref: false }).catch(
        () => undefined,
      );
    }
  }

  private async fill(embedder: HttpEmbedder): Promise<number> {
    while (!this.shutdown.aborted && (await fillEmbeddings(this.pool, embedder, this.shutdown)) > 0);
    return INTERVAL_MS;
  }
}
