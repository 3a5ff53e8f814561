import type { DeadLetterDiscard } from '@phaseline/client';
import type { DeadLetters, Discarding } from '@phaseline/cluster';
import { ApiProblem } from '../problem/api-problem.js';
import { findDeadLetter } from './find-dead-letter.js';

/** Closes a dead letter without sending its message again. Discarding twice is not an error. Throws ApiProblem. */
export async function discardDeadLetter(
  deadLetters: DeadLetters,
  deadLetterId: string,
  discarding: Discarding,
): Promise<DeadLetterDiscard> {
  const deadLetter = await findDeadLetter(deadLetters, deadLetterId);
  if (deadLetter.retriedAt !== undefined)
    throw new ApiProblem(
      'request_refused',
      `Dead letter ${deadLetterId} was put back on its queue at ${deadLetter.retriedAt} and can no longer be discarded.`,
    );
  const changed = deadLetter.discardedAt === undefined && (await deadLetters.markDiscarded(deadLetter.id, discarding));
  return { id: deadLetterId, queue: deadLetter.queue, messageId: deadLetter.messageId, changed };
}
