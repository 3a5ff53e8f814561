import type { DeadLetters } from '@phaseline/cluster';
import type { DeadLetter } from '@phaseline/queue';
import type { Logger } from 'pino';

/** Stores a dead letter in the database and logs it. */
export async function storeDeadLetter(deadLetter: DeadLetter, deadLetters: DeadLetters, logger: Logger): Promise<void> {
  const { queue, messageId, payload, kind, code, attempts, enqueuedAt } = deadLetter;
  const reason = `${deadLetter.reason} (${code === undefined ? kind : `${kind}, ${code}`})`;
  const deadLetterId = await deadLetters.add({
    queue,
    messageId,
    // Payloads of queues are JSON.
    payload: { json: withholdEncrypted(payload) as never },
    reason,
    attempts,
    enqueuedAt: toIsoTime(enqueuedAt),
  });
  logger.error(
    { queue, messageId, deadLetterId, kind, code, attempts, reason },
    'a message was rejected and stored as a dead letter',
  );
}

/** Withholds the payload of a request for an encrypted job. Queues reject such requests, and storing one would leave it unencrypted. */
function withholdEncrypted(payload: unknown): unknown {
  const asksToEncrypt = typeof payload === 'object' && payload !== null && 'encrypt' in payload && payload.encrypt;
  return asksToEncrypt ? { encrypt: true, withheld: 'the request asked for encryption' } : (payload ?? null);
}

/** Converts epoch milliseconds to an ISO time. Undefined if out of range: a foreign producer may send any value, and its message must not be lost. */
function toIsoTime(epochMs: number): string | undefined {
  return epochMs >= 0 && epochMs < 253_402_300_800_000 ? new Date(epochMs).toISOString() : undefined;
}
