import type { Fleet } from '../fleet/fleet.js';
import type { ServiceName } from '../fleet/programs.js';

/** Tracks the services of which a replica cannot work at the moment. */
export class Away {
  private readonly unavailable = new Map<Promise<void>, readonly ServiceName[]>();

  constructor(private readonly fleet: Fleet) {}

  later(services: readonly ServiceName[], work: Promise<void>): void {
    const entry = work.finally(() => this.unavailable.delete(entry));
    this.unavailable.set(entry, services);
  }

  /** Waits until all replicas of these services can work again. */
  async whole(services: readonly ServiceName[]): Promise<void> {
    const blocking = [...this.unavailable].filter(([, names]) => names.some((name) => services.includes(name)));
    await Promise.all(blocking.map(([work]) => work));
    await this.fleet.untilReady(services);
  }

  async done(): Promise<void> {
    await Promise.all(this.unavailable.keys());
  }
}
