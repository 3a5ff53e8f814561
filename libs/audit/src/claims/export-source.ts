import { open, readFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@phaseline/basics';
import type { JobId, StreamId } from '@phaseline/contracts';
import { contentHash, getLargeTexts, insertLargeTexts } from '@phaseline/event-store';
import type { ClaimEvent, ClaimSource } from './claim-source.js';

/** Where the lines of a stream are in `events.jsonl`, in bytes. The lines of a stream follow each other. */
interface StreamLines {
  readonly from: number;
  to: number;
}

interface Envelope {
  readonly stream: StreamId;
  readonly version: number;
  readonly type: string;
  readonly hash: string;
  readonly correlation: JobId;
  readonly schemaversion: number;
  readonly metadata: string;
}

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 1024 * 1024;
const DATA = ',"data":';
const DATA_BASE64 = ',"data_base64":"';

/** Opens an export in which claims can be derived. Reads the names of all streams, and events and contents when they are asked for. */
export class ExportSource implements ClaimSource {
  private readonly lines = new Map<StreamId, StreamLines>();
  private readonly streamsOfJobs = new Map<JobId, StreamId[]>();

  private constructor(
    private readonly folder: string,
    private readonly file: FileHandle,
  ) {}

  /** Throws file system errors, and SyntaxError for a line that is no event. */
  static async open(folder: string): Promise<ExportSource> {
    const source = new ExportSource(folder, await open(join(folder, 'events.jsonl')));
    try {
      for await (const { line, from, to } of source.readLines(0, Infinity)) {
        const { stream, correlation } = parseEnvelope(line).envelope;
        const known = source.lines.get(stream);
        if (known) known.to = to;
        else {
          source.lines.set(stream, { from, to });
          source.streamsOfJobs.set(correlation, [...(source.streamsOfJobs.get(correlation) ?? []), stream]);
        }
      }
      return source;
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  /** Whether the export was made with the content of files. */
  async hasFiles(): Promise<boolean> {
    const manifest = await readFile(join(this.folder, 'manifest.json'), 'utf8').catch(() => '{}');
    return (JSON.parse(manifest) as { readonly withFiles?: unknown }).withFiles !== false;
  }

  listJobs(): readonly JobId[] {
    return [...this.streamsOfJobs.keys()].filter((jobId) => this.lines.has(`job-${jobId}`)).toSorted();
  }

  listStreams(jobId: JobId): Promise<readonly StreamId[]> {
    return Promise.resolve(this.streamsOfJobs.get(jobId) ?? []);
  }

  async *readEvents(streamId: StreamId): AsyncGenerator<ClaimEvent, void, undefined> {
    const place = this.lines.get(streamId);
    if (!place) return;
    for await (const { line } of this.readLines(place.from, place.to)) {
      const { envelope, data } = parseEnvelope(line);
      // Lines of another stream are between them only if the export was changed, which the audit checker reports.
      if (envelope.stream === streamId) yield await this.toEvent(envelope, data);
    }
  }

  /** Reads content and checks that it has this hash, because anybody can change a file of an export. */
  async readContent(hash: string): Promise<Uint8Array | undefined> {
    if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
    const content = await readFile(join(this.folder, 'blobs', hash)).catch(() => undefined);
    return content && contentHash(content) === hash ? content : undefined;
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private async toEvent(envelope: Envelope, bytes: Buffer): Promise<ClaimEvent> {
    const { stream: streamId, version, type, hash, schemaversion: schemaVersion, metadata } = envelope;
    const large = getLargeTexts(JSON.parse(metadata) as JsonObject);
    const texts = new Map<string, string>();
    for (const text of large) {
      const content = await this.readContent(text.hash);
      if (content) texts.set(text.hash, new TextDecoder().decode(content));
    }
    // Without its content, a text stays as its preview. A claim that needs all of it is then not derived.
    const restorable = large.filter((text) => texts.has(text.hash));
    const data = insertLargeTexts(JSON.parse(bytes.toString()) as JsonObject, restorable, (name) => texts.get(name)!);
    return { streamId, version, type, schemaVersion, data, hash };
  }

  /** Yields the lines from one place to another, in bytes. */
  private async *readLines(
    from: number,
    to: number,
  ): AsyncGenerator<{ readonly line: Buffer; readonly from: number; readonly to: number }, void, undefined> {
    let rest = Buffer.alloc(0);
    let start = from;
    for (let at = from; at < to;) {
      const wanted = Math.min(CHUNK_BYTES, to - at);
      const { bytesRead, buffer } = await this.file.read(Buffer.alloc(wanted), 0, wanted, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      let used = 0;
      for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED, used)) {
        const next = start + (end + 1 - used);
        yield { line: rest.subarray(used, end), from: start, to: next };
        [start, used] = [next, end + 1];
      }
      rest = rest.subarray(used);
    }
  }
}

/** Parses a line of an export: attributes, and last the data, as text or in base64 if the text contains a line break. */
function parseEnvelope(line: Buffer): { readonly envelope: Envelope; readonly data: Buffer } {
  const plain = line.indexOf(DATA);
  const end = plain === -1 ? line.indexOf(DATA_BASE64) : plain;
  const envelope = JSON.parse(`${line.toString('utf8', 0, end)}}`) as Envelope;
  const data =
    plain === -1
      ? Buffer.from(line.toString('latin1', end + DATA_BASE64.length, line.length - 2), 'base64')
      : line.subarray(end + DATA.length, -1);
  return { envelope, data };
}
