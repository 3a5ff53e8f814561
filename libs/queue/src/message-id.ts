import { createHash } from 'node:crypto';
import { InvalidMessage } from './queue-errors.js';

/** BullMQ sets no limit; this keeps ids readable in logs and small in indexes. */
const MAX_LENGTH = 200;

/**
 * A message id as BullMQ takes it, on both backends. BullMQ refuses integers and `:`, and a tool call id is whatever a model
 * made up, so everything except ASCII letters, digits, `-`, `_` and `.` is escaped (`~` and two hex digits a byte). Different
 * ids stay different; an id that is too long becomes its SHA-256. Ids that are already plain are left as they are.
 *
 * @throws InvalidMessage when the id is empty
 */
export function encodeMessageId(id: string): string {
  if (id === '')
    throw new InvalidMessage('message id', 'an empty id: give the ids that make the message unique, or leave it out');
  const escaped = id.replace(/[^A-Za-z0-9._-]/gu, escape);
  const plain = /^-?\d+$/.test(escaped) ? escape(escaped[0]!) + escaped.slice(1) : escaped;
  return plain.length <= MAX_LENGTH ? plain : `~sha256-${createHash('sha256').update(plain).digest('hex')}`;
}

function escape(character: string): string {
  return [...Buffer.from(character)].map((byte) => `~${byte.toString(16).padStart(2, '0')}`).join('');
}
