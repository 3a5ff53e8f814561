import { toWellFormed, toWellFormedText, type JsonValue } from '@phaseline/basics';
import type { Job } from 'bullmq';
import type { QueueName } from '@phaseline/contracts';
import type { Contract } from './catalogue.js';
import { getUnreadableData } from './contract-worker.js';
import type { DeadLetter, DeadLetterKind } from './dead-letter.js';
import { describeError } from './describe-error.js';
import type { Handler } from './handler.js';
import { parsePayload } from './parse-payload.js';
import { LockLost, QueueClosing } from './queue-errors.js';
import { traceDelivery } from './trace-messages.js';

/** Maximum length of the name that a producer gave a message, in characters. */
const MAX_NAME_LENGTH = 200;

/** Outcome of a delivery, with what is needed to apply it to the message. */
export type DeliveryOutcome =
  | { readonly outcome: 'completed' | 'released' | 'lost' | 'abandoned' }
  | { readonly outcome: 'postponed'; readonly retryAt: number; readonly postponed: number }
  | { readonly outcome: 'retried'; readonly error: unknown }
  | { readonly outcome: 'dead-lettered'; readonly deadLetter: DeadLetter };

export interface Delivery<Payload> {
  readonly queue: QueueName;
  readonly contract: Contract<Payload>;
  readonly handler: Handler<Payload>;
  readonly job: Job<unknown, void, string>;
  readonly signal: AbortSignal;
}

/** Parses the message, runs the handler and returns the outcome. Never throws. */
export async function processDelivery<Payload>(delivery: Delivery<Payload>): Promise<DeliveryOutcome> {
  const { contract, job, signal } = delivery;
  const unread = getUnreadableData(job);
  if (unread) return reject(delivery, 'unparsable', unread.problem, toWellFormedText(unread.text));
  const parsed = parsePayload(contract.schema, job.data);
  if ('problem' in parsed) return reject(delivery, 'unparsable', parsed.problem);
  if (job.stalledCounter > contract.maxStalls) {
    return reject(delivery, 'stalled', `${job.stalledCounter} workers died while handling this message`);
  }
  try {
    const result = await traceDelivery(delivery.queue, delivery.handler, parsed.payload, {
      messageId: job.id ?? '',
      attempt: job.attemptsMade + 1,
      isRedelivered: isRedelivered(job),
      stalledCount: job.stalledCounter,
      isHandedOver: false,
      enqueuedAt: job.timestamp,
      signal,
    });
    if (signal.reason instanceof LockLost) return { outcome: 'lost' };
    if (!result) return { outcome: 'completed' };
    return {
      outcome: 'postponed',
      retryAt: Math.max(Date.now() + 1, Math.ceil(result.retryAt)),
      postponed: countPostponements(job) + 1,
    };
  } catch (error) {
    if (signal.reason instanceof LockLost) return { outcome: 'lost' };
    if (signal.reason instanceof QueueClosing) return { outcome: 'released' };
    if (isNotRetryable(error)) return reject(delivery, 'not-retryable', error);
    if (job.attemptsMade + 1 >= contract.attempts) return reject(delivery, 'exhausted', error);
    return { outcome: 'retried', error };
  }
}

/** Whether an earlier delivery ended without completing the message; see DeliveryContext. BullMQ counts starts; postponements are counted in the message's progress. */
export function isRedelivered(job: Job): boolean {
  return job.stalledCounter > 0 || job.attemptsStarted - 1 > countPostponements(job);
}

/** Number of times a handler postponed this message; see `isRedelivered`. */
export function countPostponements(job: Job): number {
  const progress = job.progress;
  const count =
    typeof progress === 'object' && progress !== null && 'postponed' in progress ? Number(progress.postponed) : 0;
  return Number.isInteger(count) ? count : 0;
}

/** Checks fields instead of the prototype, so that errors from another copy of a class are recognised. */
function isNotRetryable(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    (('retryable' in error && error.retryable === false) || ('name' in error && error.name === 'UnrecoverableError'))
  );
}

function reject<Payload>(
  { queue, job }: Delivery<Payload>,
  kind: DeadLetterKind,
  cause: unknown,
  payload: unknown = job.data,
): DeliveryOutcome {
  const code =
    typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string'
      ? cause.code
      : undefined;
  return {
    outcome: 'dead-lettered',
    deadLetter: {
      queue,
      messageId: job.id ?? '',
      messageName: toWellFormedText((job.name ?? '').slice(0, MAX_NAME_LENGTH)),
      payload: toWellFormed(payload as JsonValue),
      kind,
      reason: describeError(cause),
      ...(code === undefined ? {} : { code }),
      attempts: kind === 'stalled' ? job.attemptsStarted : job.attemptsMade + 1,
      enqueuedAt: job.timestamp,
    },
  };
}
