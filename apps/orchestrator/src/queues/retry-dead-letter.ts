import type { DeadLetterRetry } from '@phaseline/client';
import type { DeadLetter, DeadLetters } from '@phaseline/cluster';
import { queueNames } from '@phaseline/contracts';
import { InvalidMessage, type Queues } from '@phaseline/queue';
import { ApiProblem } from '../problem/api-problem.js';
import { findDeadLetter } from './find-dead-letter.js';
import { invalidRequest } from '../problem/validation.pipe.js';

/**
 * Puts a dead letter back on its queue. The message is sent first and the letter is marked second, under an id that is
 * always the same, so that neither a crash in between nor two concurrent requests send it twice. Throws ApiProblem.
 */
export async function retryDeadLetter(
  letters: DeadLetters,
  queues: Pick<Queues, 'send'>,
  letterId: string,
): Promise<DeadLetterRetry> {
  const letter = await findDeadLetter(letters, letterId);
  if (letter.discardedAt !== undefined)
    throw new ApiProblem(
      'request_refused',
      `Dead letter ${letterId} was discarded at ${letter.discardedAt} and is not sent again.`,
    );
  const answer = { id: letterId, queue: letter.queue, messageId: letter.messageId };
  if (letter.retriedAt !== undefined) return { ...answer, retried: false };
  await resend(queues, letter);
  return { ...answer, retried: await letters.markRetried(letter.id) };
}

async function resend(queues: Pick<Queues, 'send'>, letter: DeadLetter): Promise<void> {
  const queue = queueNames.find((name) => name === letter.queue);
  if (!queue || !('json' in letter.payload))
    throw wouldBeRefused(queue ? 'its payload is not JSON' : `there is no queue "${letter.queue}"`);
  const payload = queue === 'jobs' ? withKey(letter.payload.json, letter.id) : letter.payload.json;
  try {
    // The queue parses the payload and refuses one that is not of this type.
    await queues.send(queue, payload as never, { id: `retry-${letter.id}` });
  } catch (error) {
    if (error instanceof InvalidMessage) throw wouldBeRefused(error.problem);
    throw error;
  }
}

/**
 * Adds an idempotency key. A submission without one is identified by its message, which has another id when it is sent
 * again.
 */
function withKey(payload: unknown, letterId: number): unknown {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload) || 'idempotencyKey' in payload)
    return payload;
  return { ...payload, idempotencyKey: `dead-letter/${letterId}` };
}

function wouldBeRefused(problem: string): ApiProblem {
  return invalidRequest([
    { path: 'payload', message: `this message would be refused again: ${problem}. Send a corrected one instead` },
  ]);
}
