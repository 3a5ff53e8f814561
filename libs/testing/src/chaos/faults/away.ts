import type { Fleet } from '../fleet/fleet.js';
import type { ServiceName } from '../fleet/programs.js';

/** Which processes cannot work at the moment. */
export class Away {
  private readonly stopped = new Map<Promise<void>, readonly ServiceName[]>();

  constructor(private readonly fleet: Fleet) {}

  later(services: readonly ServiceName[], work: Promise<void>): void {
    const entry = work.finally(() => this.stopped.delete(entry));
    this.stopped.set(entry, services);
  }

  /** Waits until all replicas of these services can work. */
  async whole(services: readonly ServiceName[]): Promise<void> {
    const inTheWay = [...this.stopped].filter(([, stopped]) => stopped.some((name) => services.includes(name)));
    await Promise.all(inTheWay.map(([work]) => work));
    await this.fleet.untilReady(services);
  }

  async done(): Promise<void> {
    await Promise.all(this.stopped.keys());
  }
}
