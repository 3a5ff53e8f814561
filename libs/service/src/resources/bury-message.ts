import type { DeadLetters } from '@phaseline/event-store';
import type { DeadLetter } from '@phaseline/queue';
import type { Logger } from 'pino';

/** Keeps a message that the queues gave up, with what is needed to judge it and to send it again. */
export async function buryMessage(letter: DeadLetter, letters: DeadLetters, logger: Logger): Promise<void> {
  const { queue, messageId, payload, kind, code, attempts, enqueuedAt } = letter;
  const reason = `${letter.reason} (${code === undefined ? kind : `${kind}, ${code}`})`;
  const letterId = await letters.add({
    queue,
    messageId,
    payload: { json: withoutSecrets(payload) as never },
    reason,
    attempts,
    enqueuedAt: timeOf(enqueuedAt),
  });
  logger.error(
    { queue, messageId, letterId, kind, code, attempts, reason },
    'a message was given up; it is kept as a dead letter',
  );
}

/** A request for an encrypted job is refused on a queue; keeping what it asked for would be the very thing to avoid. */
function withoutSecrets(payload: unknown): unknown {
  const asksToEncrypt = typeof payload === 'object' && payload !== null && 'encrypt' in payload && payload.encrypt;
  return asksToEncrypt ? { encrypt: true, withheld: 'the request asked for encryption' } : (payload ?? null);
}

/** The clock of a foreign producer may say anything; a letter must not be lost for it. */
function timeOf(epochMs: number): string | undefined {
  return epochMs >= 0 && epochMs < 253_402_300_800_000 ? new Date(epochMs).toISOString() : undefined;
}
