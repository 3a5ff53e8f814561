import type { DeadLetterDetail, DeadLetterRecord } from '@phaseline/client';
import type { StoredDeadLetter } from '@phaseline/cluster';

/** Converts a stored dead letter to its form in the API. */
export function toDeadLetterRecord(deadLetter: StoredDeadLetter): DeadLetterRecord {
  const { id, queue, messageId, payload, payloadBytes, reason, attempts, failedAt, enqueuedAt } = deadLetter;
  return {
    id: String(id),
    queue,
    messageId,
    reason,
    attempts,
    failedAt,
    ...(enqueuedAt === undefined ? {} : { enqueuedAt }),
    payload: 'json' in payload ? payload.json : payload.text,
    ...(payloadBytes === undefined ? {} : { payloadBytes }),
  };
}

/** Adds what became of a dead letter, and the other dead letters of its message. */
export function toDeadLetterDetail(
  deadLetter: StoredDeadLetter,
  ofMessage: readonly StoredDeadLetter[],
): DeadLetterDetail {
  return {
    ...toDeadLetterRecord(deadLetter),
    ...closingOf(deadLetter),
    ...(deadLetter.discardedBy === undefined ? {} : { discardedBy: deadLetter.discardedBy }),
    ...(deadLetter.discardReason === undefined ? {} : { discardReason: deadLetter.discardReason }),
    others: ofMessage
      .filter(({ id }) => id !== deadLetter.id)
      .map((other) => {
        const { id, reason, attempts, failedAt } = toDeadLetterRecord(other);
        return { id, reason, attempts, failedAt, ...closingOf(other) };
      }),
  };
}

function closingOf({ retriedAt, discardedAt }: StoredDeadLetter): Pick<DeadLetterDetail, 'retriedAt' | 'discardedAt'> {
  return {
    ...(retriedAt === undefined ? {} : { retriedAt }),
    ...(discardedAt === undefined ? {} : { discardedAt }),
  };
}
