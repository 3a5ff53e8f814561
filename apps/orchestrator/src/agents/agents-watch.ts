import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectShutdownSignal } from '@phaseline/service';
import { AGENTS, type Agents } from './load-agents.js';

/** Whoever edits a definition wants to read in the log soon whether it is taken. Some thirty files are looked at. */
const LOOK_EVERY_MS = 2_000;

/** Looks whether definitions have changed, also while no job is submitted. */
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
      await sleep(LOOK_EVERY_MS, undefined, { signal: this.shutdown }).catch(() => undefined);
      if (!this.shutdown.aborted) await this.agents.refresh();
    }
  }
}
