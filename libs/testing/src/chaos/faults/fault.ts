import type { Fleet, QueueBackend } from '../fleet/fleet.js';
import type { ServiceName } from '../fleet/programs.js';

/** Something that can be broken. */
export interface Fault {
  /** Names it in the table and for `--only`. */
  readonly name: string;
  /** Whose processes it may take away, so that never all replicas of a service are away at once. */
  readonly hits: readonly ServiceName[];
  /** The backend that it makes sense on; both where it is missing. */
  readonly backend?: QueueBackend;
  /** Breaks it; resolves as soon as something else may be broken. Throws NotReached when its place was never got to. */
  inject(stage: Stage): Promise<void>;
}

/** What faults work on. */
export interface Stage {
  readonly fleet: Fleet;
  /** 0 ≤ x < 1; the same seed gives the same run as far as a run can be the same. */
  readonly random: () => number;
  /** Makes processes of these services count as away until the work is done; the run waits for it in the end. */
  later(services: readonly ServiceName[], work: Promise<void>): void;
}

/** No process came to the fault point although there was work: nothing was proven there. */
export class NotReached extends Error {
  override readonly name = 'NotReached';
}
