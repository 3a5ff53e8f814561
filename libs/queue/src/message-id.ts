import { createHash } from 'node:crypto';
import type { MessageId, QueuedMessageId } from '@phaseline/contracts';
import { InvalidMessage } from './queue-errors.js';

/** Maximum length of a message id in characters. BullMQ has no limit; this one keeps ids readable in logs and indexes small. */
const MAX_LENGTH = 200;

/**
 * Encodes an id so that BullMQ accepts it on both backends. BullMQ rejects integers and `:`, and a tool call id may be any string a
 * model produced. Everything except ASCII letters, digits, `-`, `_` and `.` is escaped as `~` and two hex digits per byte. Different
 * ids stay different. An id that is too long is replaced by its SHA-256.
 *
 * @throws InvalidMessage when the id is empty
 */
export function encodeMessageId(id: MessageId): QueuedMessageId {
  if (id === '')
    throw new InvalidMessage('message id', 'the id is empty: pass an id that identifies the message, or omit it');
  const escaped = id.replace(/[^A-Za-z0-9._-]/gu, escape);
  const plain = /^-?\d+$/.test(escaped) ? escape(escaped[0]!) + escaped.slice(1) : escaped;
  return plain.length <= MAX_LENGTH ? plain : `~sha256-${createHash('sha256').update(plain).digest('hex')}`;
}

function escape(character: string): string {
  return [...Buffer.from(character)].map((byte) => `~${byte.toString(16).padStart(2, '0')}`).join('');
}
