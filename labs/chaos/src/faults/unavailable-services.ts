import type { Fleet } from '../fleet/fleet.js';
import type { ServiceName } from '../fleet/programs.js';

/** Tracks the services of which a replica cannot work at the moment. */
export class UnavailableServices {
  private readonly unavailable = new Map<Promise<void>, readonly ServiceName[]>();

  constructor(private readonly fleet: Fleet) {}

  markUntil(services: readonly ServiceName[], work: Promise<void>): void {
    const entry = work.finally(() => this.unavailable.delete(entry));
    this.unavailable.set(entry, services);
  }

  /** Waits until all replicas of these services can work again. */
  async waitForAllReplicas(services: readonly ServiceName[]): Promise<void> {
    const blocking = [...this.unavailable].filter(([, names]) => names.some((name) => services.includes(name)));
    await Promise.all(blocking.map(([work]) => work));
    await this.fleet.waitUntilReady(services);
  }

  async waitForAll(): Promise<void> {
    await Promise.all(this.unavailable.keys());
  }
}
