import type { BinaryEvent } from './binary-event.js';
import type { StoredEvent } from './diagnose-stream.js';

const END = Buffer.from('}\n');
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Default `source` of exported events. Together with `id` it identifies an event. */
export const DEFAULT_SOURCE = 'urn:phaseline';

/**
 * Encodes an event as one line of JSON Lines: a CloudEvent 1.0 in structured mode.
 *
 * `data` is the last member and contains the stored bytes unchanged, because those bytes were hashed and any JSON writer would change
 * them. If they contain a line break, which JSON allows between tokens, they are written as `data_base64`. `metadata` is JSON text in
 * an extension attribute, because attributes cannot be objects. Numbers that may exceed the 32 bits of a CloudEvents Integer are
 * written as text.
 * @returns buffers to write in order, valid until the next row
 */
export function toCloudEventLine(event: BinaryEvent, source: string): Buffer[] {
  const { hashBytes, position, transactionId, dataBytes } = event;
  return encodeLine({ ...event.toAttributes(), position, transactionId, hash: hashBytes }, dataBytes, source);
}

/** Does the same for an event that was read from an archive. */
export function toArchivedCloudEventLine({ data, ...event }: StoredEvent, source: string): Buffer[] {
  return encodeLine(event, Buffer.from(data), source);
}

function encodeLine(event: Omit<StoredEvent, 'data'>, dataBytes: Buffer, source: string): Buffer[] {
  const { streamId, eventId, type, version, recordedAt, correlationId, schemaVersion, metadata } = event;
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
    hash: event.hash.toString('hex'),
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
