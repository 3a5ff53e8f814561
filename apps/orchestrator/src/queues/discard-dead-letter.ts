import type { DeadLetterDiscard } from '@phaseline/client';
import type { DeadLetters } from '@phaseline/cluster';
import { getActorName, type Actor } from '@phaseline/contracts';
import { ApiProblem } from '../problem/api-problem.js';
import { findDeadLetter } from './find-dead-letter.js';
import { recordDeadLetterAction, type DeadLetterRecorder } from './record-dead-letter-action.js';

/** Closes a dead letter without sending its message again. Discarding twice is not an error. Throws ApiProblem. */
export async function discardDeadLetter(
  deadLetters: DeadLetters,
  recorder: DeadLetterRecorder,
  deadLetterId: string,
  { actor, reason }: { readonly actor: Actor; readonly reason?: string },
): Promise<DeadLetterDiscard> {
  const deadLetter = await findDeadLetter(deadLetters, deadLetterId);
  if (deadLetter.retriedAt !== undefined)
    throw new ApiProblem(
      'request_refused',
      `Dead letter ${deadLetterId} was put back on its queue at ${deadLetter.retriedAt} and can no longer be discarded.`,
    );
  const because = reason === undefined ? {} : { reason };
  const changed =
    deadLetter.discardedAt === undefined &&
    (await recordDeadLetterAction(recorder, deadLetter, { type: 'DeadLetterDiscarded', actor, ...because }, (client) =>
      deadLetters.markDiscarded(deadLetter.id, { actor: getActorName(actor), ...because }, client),
    ));
  return { id: deadLetterId, queue: deadLetter.queue, messageId: deadLetter.messageId, changed };
}
