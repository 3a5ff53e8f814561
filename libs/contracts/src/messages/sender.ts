import type { ProcessId } from '../ids/ids.js';
import type { Payloads, QueueName } from './messages.js';

export interface SendOptions {
  /** Milliseconds until the message may be delivered. */
  readonly delayMs?: number;
  /** Priority from 1 (highest) to 2,097,151. Messages without a priority are delivered first. */
  readonly priority?: number;
  /**
   * Gives the message to a process that is free to handle it at once (`to`, or any that serves the queue), and puts it into the queue
   * only when none takes it. A process that dies with such a message loses it, so the reconciler must be able to send it again.
   *
   * `enclosed` is what the receiver may read instead of the log, as JSON. It is left out where it cannot be sealed, and where it is too long.
   */
  readonly handOver?: { readonly to?: ProcessId | undefined; readonly enclosed?: unknown };
}

/** What a process hands over that is nowhere else. */
export interface HandedOver {
  readonly to: ProcessId;
  /** As in SendOptions, but never left out. */
  readonly enclosed: unknown;
  /** Called unless the process takes the message. Its errors are reported to the log of the process. */
  readonly otherwise: () => Promise<void>;
}

/** A message as it is sent. */
export type Message<Name extends QueueName = QueueName> = {
  readonly [Queue in Name]: {
    readonly queue: Queue;
    readonly payload: Payloads[Queue];
    readonly options?: SendOptions;
  };
}[Name];

/** Sends messages to queues. Sending does nothing while the queue holds an unfinished message with the same id. */
export interface Sender {
  send<Name extends QueueName>(queue: Name, payload: Payloads[Name], options?: SendOptions): Promise<void>;
  /**
   * Hands a message over together with what is not in the log yet, if that is possible; returns whether it was offered. Absent when nothing
   * can be enclosed.
   */
  handOver?<Name extends QueueName>(queue: Name, payload: Payloads[Name], options: HandedOver): Promise<boolean>;
  /**
   * Removes the timer with this payload unless it is being handled. Absent when messages cannot be removed: they do no harm when they
   * arrive.
   */
  withdraw?(queue: 'timers', payload: Payloads['timers']): Promise<unknown>;
}
