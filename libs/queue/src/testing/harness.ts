import type { Queue } from 'bullmq';
import type { BackendConfig } from '../create-queues.js';

/** A place for queues that nobody else uses. */
export interface Place {
  readonly config: BackendConfig;
  /** A producer that knows nothing of this library. */
  foreignProducer(): Promise<{ queue: Queue; close(): Promise<void> }>;
  /** Makes it look as if the lock of a message that is being handled had ended so long ago. */
  endLock(queue: string, messageId: string, ago: number): Promise<void>;
  /** Nothing is left of what was sent; nobody may be connected. */
  clear(): Promise<void>;
  dispose(): Promise<void>;
}

/** A place on a server of its own. */
export interface StoppablePlace extends Omit<Place, 'clear' | 'endLock'> {
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** What a backend's spec provides for the contract. */
export interface Harness {
  place(): Promise<Place>;
  /** Undefined where no server can be started: the outage specs are then skipped, by name. */
  readonly stoppablePlace: (() => Promise<StoppablePlace>) | undefined;
}
