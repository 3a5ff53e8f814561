import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { EventId, JobId, StreamId } from '@phaseline/contracts';
import type { StoredEvent } from '../chain/diagnose-stream.js';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** A quarter smaller than the default level of 3, and still faster than a disk. */
const COMPRESSION_LEVEL = 9;
const LINE_FEED = 0x0a;

/** Compresses the lines of an archive: CloudEvents in JSON Lines as in an audit export, by stream and version. */
export function compressArchive(lines: Buffer): Promise<Buffer> {
  return compress(lines, { params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL } });
}

/** Reads the events of an archive, with their data and metadata exactly as they were stored. Throws on anything else. */
export async function readArchive(content: Uint8Array): Promise<StoredEvent[]> {
  const lines = await decompress(content);
  const events: StoredEvent[] = [];
  for (let from = 0; from < lines.length;) {
    const end = lines.indexOf(LINE_FEED, from);
    if (end === -1) throw new Error('the last line has no end');
    events.push(parseLine(lines.toString('utf8', from, end)));
    from = end + 1;
  }
  return events;
}

/** The members of a line before its data. */
interface Envelope {
  readonly id: EventId;
  readonly type: string;
  readonly time: string;
  readonly stream: StreamId;
  readonly version: number;
  readonly hash: string;
  readonly correlation: JobId;
  readonly schemaversion: number;
  readonly position: string;
  readonly transaction: string;
  readonly metadata: string;
  readonly data_base64?: string;
}

/** Inside of a string the quotation marks would be escaped, so the first occurrence is the member. */
const DATA_MEMBER = ',"data":';

function parseLine(line: string): StoredEvent {
  const at = line.indexOf(DATA_MEMBER);
  const text = at === -1 ? line : `${line.slice(0, at)}}`;
  // `toCloudEventLine` wrote it, and the caller has compared the hash of the archive.
  const { data_base64: encoded = '', ...envelope } = JSON.parse(text) as Envelope;
  return {
    streamId: envelope.stream,
    version: envelope.version,
    eventId: envelope.id,
    type: envelope.type,
    schemaVersion: envelope.schemaversion,
    recordedAt: envelope.time,
    correlationId: envelope.correlation,
    data: at === -1 ? Buffer.from(encoded, 'base64').toString() : line.slice(at + DATA_MEMBER.length, -1),
    metadata: envelope.metadata,
    position: Number(envelope.position),
    transactionId: BigInt(envelope.transaction),
    hash: Buffer.from(envelope.hash, 'hex'),
  };
}

/** Identifies a set of events, as phaseline.move_to_cold_storage does: the hash of each covers its content. */
export function digestEvents(events: readonly StoredEvent[]): string {
  const lines = events
    .toSorted((left, right) => left.position - right.position)
    .map((event) => `${event.position} ${event.transactionId} ${event.hash.toString('hex')}\n`);
  return hash('sha256', lines.join(''), 'hex');
}
