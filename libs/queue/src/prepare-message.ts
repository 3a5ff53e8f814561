import type { JobsOptions } from 'bullmq';
import type { Contract, QueueName } from './catalogue.js';
import { encodeMessageId } from './message-id.js';
import { parsePayload } from './parse-payload.js';
import { InvalidMessage } from './queue-errors.js';

export interface SendOptions {
  /** Instead of the id of the catalogue. While a message with this id waits, is delayed or runs, a second send does nothing. */
  readonly id?: string;
  /** Milliseconds until the message may be delivered. */
  readonly delayMs?: number;
  /** Messages without one go first, then 1, 2, 3… up to 2,097,151. */
  readonly priority?: number;
}

/** A message as BullMQ takes it. */
export interface Prepared {
  readonly queue: QueueName;
  readonly data: unknown;
  readonly opts: JobsOptions;
}

/** BullMQ's limit. */
const maxPriority = 2_097_151;

/**
 * Checks a message against the contract of its queue and gives it its id.
 * @throws InvalidMessage naming the field or option
 */
export function prepareMessage<Payload>(
  queue: QueueName,
  contract: Contract<Payload>,
  payload: Payload,
  options: SendOptions,
): Prepared {
  const parsed = parsePayload(contract.schema, payload);
  if ('problem' in parsed) throw new InvalidMessage(queue, parsed.problem);
  const { delayMs = 0, priority = 0 } = options;
  if (!(delayMs >= 0 && delayMs <= Number.MAX_SAFE_INTEGER)) {
    throw new InvalidMessage(queue, `delayMs must be a number of milliseconds, 0 or more, not ${delayMs}`);
  }
  if (!Number.isInteger(priority) || priority < 0 || priority > maxPriority) {
    throw new InvalidMessage(queue, `priority must be an integer from 0 to ${maxPriority}, not ${priority}`);
  }
  return {
    queue,
    data: parsed.payload,
    opts: {
      jobId: encodeMessageId(options.id ?? contract.id(parsed.payload) ?? crypto.randomUUID()),
      removeOnComplete: true,
      removeOnFail: true,
      // PostgreSQL refuses fractions of a millisecond.
      ...(delayMs > 0 ? { delay: Math.ceil(delayMs) } : {}),
      ...(priority > 0 ? { priority } : {}),
    },
  };
}
