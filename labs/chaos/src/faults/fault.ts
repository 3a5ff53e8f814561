import type { Fleet, QueueBackend } from '../fleet/fleet.js';
import type { People } from '../fleet/people.js';
import type { ServiceName } from '../fleet/programs.js';

/** A fault that a chaos run can inject. */
export interface Fault {
  /** Name in the report and for `--only`. */
  readonly name: string;
  /**
   * Services of which it may disable a replica. The run waits for them first, so that at least one replica of each
   * service is always available.
   */
  readonly affectedServices: readonly ServiceName[];
  /** The only backend to which it applies; omitted if it applies to both. */
  readonly backend?: QueueBackend;
  /** Injects the fault; resolves as soon as the next one may follow. Throws FaultPointNotReached if no process reached its fault point. */
  inject(stage: FaultContext): Promise<void>;
}

/** Context in which a fault is injected. */
export interface FaultContext {
  readonly fleet: Fleet;
  /** The people who decide what jobs wait for. */
  readonly people: People;
  /** Seeded random number, 0 ≤ x < 1. */
  readonly random: () => number;
  /** Marks these services as unavailable until the work is done. The run waits for it before it ends. */
  markUnavailable(services: readonly ServiceName[], work: Promise<void>): void;
}
