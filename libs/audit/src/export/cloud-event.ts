import type { BinaryEvent } from '@phaseline/event-store';

const END = Buffer.from('}\n');
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** What `source` is when nothing else is said: with it, an id names one event. */
export const DEFAULT_SOURCE = 'urn:phaseline';

/**
 * An event as a line of JSON Lines: a CloudEvent 1.0 in structured mode.
 *
 * `data` is the last member, and what stands there are the stored bytes, unread: they are what was hashed, and any JSON writer
 * would change them. Where they hold a line break, which JSON allows between tokens, they come as `data_base64`. `metadata` is text
 * in an extension attribute, because attributes cannot be objects; JSON gives it back exactly. Numbers that may not fit into the 32
 * bits of a CloudEvents Integer are text as well.
 * @returns pieces to be written one after the other, valid until the next row
 */
export function cloudEventLine(event: BinaryEvent, source: string): Buffer[] {
  const { dataBytes } = event;
  const { streamId, eventId, type, version, recordedAt, correlationId, schemaVersion, metadata } = event.toAttributes();
  const envelope = JSON.stringify({
    specversion: '1.0',
    id: eventId,
    source,
    type,
    time: recordedAt,
    subject: streamId,
    datacontenttype: 'application/json',
    stream: streamId,
    version,
    hash: event.hashBytes.toString('hex'),
    correlation: correlationId,
    schemaversion: schemaVersion,
    position: String(event.position),
    transaction: String(event.transactionId),
    metadata,
  }).slice(0, -1);
  if (!dataBytes.includes(LINE_FEED) && !dataBytes.includes(CARRIAGE_RETURN))
    return [Buffer.from(`${envelope},"data":`), dataBytes, END];
  return [Buffer.from(`${envelope},"data_base64":"${dataBytes.toString('base64')}"`), END];
}
