import type { QueueName } from './catalogue.js';

/** A message that stands on a queue or is being handled, for whoever looks at queues from outside. */
export interface QueuedMessage {
  readonly queue: QueueName;
  /** As `has` and `discard` take it when it is sent under this id. */
  readonly messageId: string;
  readonly state: 'waiting' | 'active' | 'delayed';
  /** As it came; the text when it is not JSON. */
  readonly payload: unknown;
  /** Epoch milliseconds by the clock of the queues' server, or of a foreign producer. */
  readonly sentAt: number;
  /** When it may be, or might have been, delivered. */
  readonly dueAt: number;
  /** How long ago that was by the clock of the queues' server, in milliseconds; negative when it is still to come. */
  readonly dueForMs: number;
}
