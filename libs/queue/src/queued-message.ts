import type { QueueName, QueuedMessageId } from '@phaseline/contracts';

/** An unfinished message, as operators and their tools see it. */
export interface QueuedMessage {
  readonly queue: QueueName;
  /** The encoded id; `discard` accepts it. */
  readonly messageId: QueuedMessageId;
  readonly state: 'waiting' | 'active' | 'delayed';
  /** The payload as received; the raw text if it is not JSON. */
  readonly payload: unknown;
  /** Time of sending in epoch milliseconds, from the clock of the queue server or of a foreign producer. */
  readonly sentAt: number;
  /** Earliest time of delivery in epoch milliseconds. */
  readonly dueAt: number;
  /** Milliseconds since `dueAt` on the clock of the queue server; negative while the message is delayed. */
  readonly dueForMs: number;
}
