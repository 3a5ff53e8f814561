import type { DeadLetterRetry } from '@phaseline/client';
import type { StoredDeadLetter, DeadLetters } from '@phaseline/cluster';
import { queueNames, type Actor } from '@phaseline/contracts';
import { InvalidMessage, keepProducerLogin, type Queues } from '@phaseline/queue';
import { ApiProblem } from '../problem/api-problem.js';
import { findDeadLetter } from './find-dead-letter.js';
import { invalidRequest } from '../problem/validation.pipe.js';
import { recordDeadLetterAction, type DeadLetterRecorder } from './record-dead-letter-action.js';

/**
 * Puts a dead letter back on its queue. The message is sent first and the dead letter is marked second, under an id that is
 * always the same, so that neither a crash in between nor two concurrent requests send it twice. Throws ApiProblem.
 */
export async function retryDeadLetter(
  deadLetters: DeadLetters,
  { queues, ...recorder }: DeadLetterRecorder & { readonly queues: Pick<Queues, 'send'> },
  deadLetterId: string,
  actor: Actor,
): Promise<DeadLetterRetry> {
  const deadLetter = await findDeadLetter(deadLetters, deadLetterId);
  if (deadLetter.discardedAt !== undefined)
    throw new ApiProblem(
      'request_refused',
      `Dead letter ${deadLetterId} was discarded at ${deadLetter.discardedAt} and is not sent again.`,
    );
  const closed = { id: deadLetterId, queue: deadLetter.queue, messageId: deadLetter.messageId };
  if (deadLetter.retriedAt !== undefined) return { ...closed, changed: false };
  await resend(queues, deadLetter);
  const changed = await recordDeadLetterAction(recorder, deadLetter, { type: 'DeadLetterRetried', actor }, (client) =>
    deadLetters.markRetried(deadLetter.id, client),
  );
  return { ...closed, changed };
}

async function resend(queues: Pick<Queues, 'send'>, deadLetter: StoredDeadLetter): Promise<void> {
  const queue = queueNames.find((name) => name === deadLetter.queue);
  if (!queue || !('json' in deadLetter.payload))
    throw wouldBeRefused(queue ? 'its payload is not JSON' : `there is no queue "${deadLetter.queue}"`);
  const payload = queue === 'jobs' ? withKey(deadLetter.payload.json, deadLetter.id) : deadLetter.payload.json;
  try {
    // The queue parses the payload and refuses one that is not of this type.
    await queues.send(queue, payload as never, {
      id: keepProducerLogin(deadLetter.messageId, `retry-${deadLetter.id}`),
    });
  } catch (error) {
    if (error instanceof InvalidMessage) throw wouldBeRefused(error.problem);
    throw error;
  }
}

/**
 * Adds an idempotency key. A submission without one is identified by its message, which has another id when it is sent
 * again.
 */
function withKey(payload: unknown, deadLetterId: number): unknown {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload) || 'idempotencyKey' in payload)
    return payload;
  return { ...payload, idempotencyKey: keyOfRetry(deadLetterId) };
}

/** Idempotency key of a submission that had none, when it is sent again. */
export function keyOfRetry(deadLetterId: number): string {
  return `dead-letter/${deadLetterId}`;
}

function wouldBeRefused(problem: string): ApiProblem {
  return invalidRequest([
    { path: 'payload', message: `this message would be refused again: ${problem}. Send a corrected one instead` },
  ]);
}
