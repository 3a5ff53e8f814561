import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Subscription } from '@phaseline/event-store';

/** Runs a subscription while the orchestrator runs; one replica at a time handles its events. */
export abstract class SubscriptionKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected constructor(private readonly subscription: Subscription) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.subscription.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.subscription.close();
  }
}
