import type { JobsOptions } from 'bullmq';
import type { QueueName, SendOptions, MessageId } from '@phaseline/contracts';
import type { Contract } from './catalogue.js';
import { encodeMessageId } from './message-id.js';
import { parsePayload } from './parse-payload.js';
import { InvalidMessage } from './queue-errors.js';

export interface QueueSendOptions extends SendOptions {
  /** Replaces the id that is derived from the payload, for example to send a dead letter again. */
  readonly id?: MessageId;
}

/** A message in the form that BullMQ accepts. */
export interface Prepared {
  readonly queue: QueueName;
  readonly data: unknown;
  readonly opts: JobsOptions;
}

/** Highest priority number that BullMQ accepts. */
const MAX_PRIORITY = 2_097_151;

/**
 * Validates a message against the contract of its queue and sets its id.
 * @throws InvalidMessage naming the field or option
 */
export function prepareMessage<Payload>(
  queue: QueueName,
  contract: Contract<Payload>,
  payload: Payload,
  options: QueueSendOptions,
): Prepared {
  const parsed = parsePayload(contract.schema, payload);
  if ('problem' in parsed) throw new InvalidMessage(queue, parsed.problem);
  const { delayMs = 0, priority = 0 } = options;
  if (!(delayMs >= 0 && delayMs <= Number.MAX_SAFE_INTEGER)) {
    throw new InvalidMessage(queue, `delayMs must be a number of milliseconds, 0 or more, not ${delayMs}`);
  }
  if (!Number.isInteger(priority) || priority < 0 || priority > MAX_PRIORITY) {
    throw new InvalidMessage(queue, `priority must be an integer from 0 to ${MAX_PRIORITY}, not ${priority}`);
  }
  return {
    queue,
    data: parsed.payload,
    opts: {
      jobId: encodeMessageId(options.id ?? contract.id(parsed.payload) ?? crypto.randomUUID()),
      removeOnComplete: true,
      removeOnFail: true,
      // PostgreSQL accepts only whole milliseconds.
      ...(delayMs > 0 ? { delay: Math.ceil(delayMs) } : {}),
      ...(priority > 0 ? { priority } : {}),
    },
  };
}
