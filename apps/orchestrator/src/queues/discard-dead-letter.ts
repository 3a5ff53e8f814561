import type { DeadLetterDiscard } from '@phaseline/client';
import type { DeadLetters } from '@phaseline/cluster';
import { ApiProblem } from '../problem/api-problem.js';
import { findDeadLetter } from './find-dead-letter.js';

/** Closes a dead letter without sending its message again. Discarding twice is not an error. Throws ApiProblem. */
export async function discardDeadLetter(letters: DeadLetters, letterId: string): Promise<DeadLetterDiscard> {
  const letter = await findDeadLetter(letters, letterId);
  if (letter.retriedAt !== undefined)
    throw new ApiProblem(
      'request_refused',
      `Dead letter ${letterId} was put back on its queue at ${letter.retriedAt} and cannot be discarded any more.`,
    );
  const discarded = letter.discardedAt === undefined && (await letters.markDiscarded(letter.id));
  return { id: letterId, queue: letter.queue, messageId: letter.messageId, discarded };
}
