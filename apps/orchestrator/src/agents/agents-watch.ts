import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectShutdownSignal } from '@phaseline/service';
import { AGENTS, type Agents } from './load-agents.js';

/**
 * Interval in milliseconds between checks for changed definitions (about thirty files), so that the log soon shows
 * whether an edit was accepted.
 */
const CHECK_INTERVAL_MS = 2_000;

/** Checks for changed definitions, even while no job is submitted. */
@Injectable()
export class AgentsWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running: Promise<void> | undefined;

  constructor(
    @Inject(AGENTS) private readonly agents: Agents,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.shutdown.aborted) {
      await sleep(CHECK_INTERVAL_MS, undefined, { signal: this.shutdown }).catch(() => undefined);
      if (!this.shutdown.aborted) await this.agents.refresh();
    }
  }
}
