import type { QueuedMessageId } from '@phaseline/contracts';
import type { Queue } from 'bullmq';
import type { BackendConfig } from '../create-queues.js';

/** An isolated set of queues for a test. */
export interface QueueFixture {
  readonly config: BackendConfig;
  /** Connects a producer that uses BullMQ directly. */
  connectForeignProducer(): Promise<{ queue: Queue; close(): Promise<void> }>;
  /** Sets the lock of an active message to have expired `agoMs` ago. */
  expireLock(queue: string, messageId: QueuedMessageId, agoMs: number): Promise<void>;
  /** Deletes all messages. No client may be connected. */
  clear(): Promise<void>;
  dispose(): Promise<void>;
}

/** An isolated set of queues on a server that can be stopped. */
export interface StoppableQueueFixture extends Omit<QueueFixture, 'clear' | 'expireLock'> {
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** What a backend's spec must provide to run the contract suite. */
export interface Harness {
  createFixture(): Promise<QueueFixture>;
  /** Undefined if no server can be started: the outage specs are then reported as skipped. */
  readonly createStoppableFixture: (() => Promise<StoppableQueueFixture>) | undefined;
}
