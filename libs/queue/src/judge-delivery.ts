import type { Job } from 'bullmq';
import type { Contract, QueueName } from './catalogue.js';
import { cleanJson, cleanText, errorText } from './clean-text.js';
import { unreadableData } from './contract-worker.js';
import type { DeadLetter, DeadLetterKind } from './dead-letter.js';
import type { Handler } from './handler.js';
import { parsePayload } from './parse-payload.js';
import { LockLost, QueueClosing } from './queue-errors.js';

/** Characters kept of the name that a producer gave a message. */
const MAX_NAME = 200;

/** What is to become of a message after a delivery. */
export type Verdict =
  | { readonly outcome: 'completed' | 'released' | 'lost' | 'abandoned' }
  | { readonly outcome: 'postponed'; readonly retryAt: number; readonly postponed: number }
  | { readonly outcome: 'retried'; readonly error: unknown }
  | { readonly outcome: 'dead'; readonly letter: DeadLetter };

export interface Delivery<Payload> {
  readonly queue: QueueName;
  readonly contract: Contract<Payload>;
  readonly handler: Handler<Payload>;
  readonly job: Job<unknown, void, string>;
  readonly signal: AbortSignal;
}

/** Parses the message, runs the handler and says what follows. Never throws. */
export async function judge<Payload>(delivery: Delivery<Payload>): Promise<Verdict> {
  const { contract, job, signal } = delivery;
  const unread = unreadableData(job);
  if (unread) return dead(delivery, 'unparsable', unread.problem, cleanText(unread.text));
  const parsed = parsePayload(contract.schema, job.data);
  if ('problem' in parsed) return dead(delivery, 'unparsable', parsed.problem);
  if (job.stalledCounter > contract.maxStalls) {
    return dead(delivery, 'stalled', `${job.stalledCounter} workers vanished while they had this message`);
  }
  try {
    const result = await delivery.handler(parsed.payload, {
      messageId: job.id ?? '',
      attempt: job.attemptsMade + 1,
      stalledBefore: stalledBefore(job),
      vanished: job.stalledCounter,
      enqueuedAt: job.timestamp,
      signal,
    });
    if (signal.reason instanceof LockLost) return { outcome: 'lost' };
    if (!result) return { outcome: 'completed' };
    return {
      outcome: 'postponed',
      retryAt: Math.max(Date.now() + 1, Math.ceil(result.retryAt)),
      postponed: postponements(job) + 1,
    };
  } catch (error) {
    if (signal.reason instanceof LockLost) return { outcome: 'lost' };
    if (signal.reason instanceof QueueClosing) return { outcome: 'released' };
    if (isFinal(error)) return dead(delivery, 'not-retryable', error);
    if (job.attemptsMade + 1 >= contract.attempts) return dead(delivery, 'exhausted', error);
    return { outcome: 'retried', error };
  }
}

/** See DeliveryContext. BullMQ counts starts; those that ended in a postponement are counted by us, in the message's progress. */
export function stalledBefore(job: Job): boolean {
  return job.stalledCounter > 0 || job.attemptsStarted - 1 > postponements(job);
}

/** How often a handler put this message off; see `stalledBefore`. */
export function postponements(job: Job): number {
  const progress = job.progress;
  const count =
    typeof progress === 'object' && progress !== null && 'postponed' in progress ? Number(progress.postponed) : 0;
  return Number.isInteger(count) ? count : 0;
}

/** Across processes and copies of a class an error is known by its fields, not by its prototype. */
function isFinal(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    (('retryable' in error && error.retryable === false) || ('name' in error && error.name === 'UnrecoverableError'))
  );
}

function dead<Payload>(
  { queue, job }: Delivery<Payload>,
  kind: DeadLetterKind,
  why: unknown,
  payload: unknown = job.data,
): Verdict {
  const code =
    typeof why === 'object' && why !== null && 'code' in why && typeof why.code === 'string' ? why.code : undefined;
  return {
    outcome: 'dead',
    letter: {
      queue,
      messageId: job.id ?? '',
      messageName: cleanText((job.name ?? '').slice(0, MAX_NAME)),
      payload: cleanJson(payload),
      kind,
      reason: errorText(why),
      ...(code === undefined ? {} : { code }),
      attempts: kind === 'stalled' ? job.attemptsStarted : job.attemptsMade + 1,
      enqueuedAt: job.timestamp,
    },
  };
}
