import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BinaryEvent,
  BlobCorrupt,
  BlobNotStored,
  BlobStore,
  copyRows,
  DEFAULT_SOURCE,
  EVENT_COLUMN_COUNT,
  EVENT_COLUMNS_BINARY,
  readColdEvents,
  runInSnapshot,
  toArchivedCloudEventLine,
  toCloudEventLine,
  type ColdStorage,
} from '@phaseline/event-store';
import pg from 'pg';
import { readReferencedFiles } from '../files/referenced-files.js';
import type { FileProblemKind } from '../files/verify-files.js';
import type { AuditKey } from '../key/audit-key.js';
import { readPublishedKeys } from '../anchor/read-anchors.js';
import { FileWriter } from './file-writer.js';
import { writeAnchoredHeads, writeAnchors } from './write-anchors.js';

export interface ExportLogOptions {
  /** A folder that is empty or does not exist yet. */
  readonly folder: string;
  /** Key that signs the manifest. */
  readonly key: AuditKey;
  readonly now: () => Date;
  /** Correlation ids (jobs) to export; default: the whole log. */
  readonly jobs?: readonly string[];
  /** Where the events of moved jobs are; needed if there are any. */
  readonly cold?: ColdStorage | undefined;
  /** Whether to export the content of files and long texts as well. */
  readonly withFiles?: boolean;
  /** `source` of the CloudEvents; default `urn:phaseline`. */
  readonly source?: string;
  readonly signal?: AbortSignal;
}

type EventSelection = Pick<ExportLogOptions, 'jobs' | 'cold' | 'source' | 'signal'>;

export interface ExportSummary {
  readonly folder: string;
  readonly events: number;
  readonly streams: number;
  readonly anchors: number;
  /** Number of files and long texts written. */
  readonly blobs: number;
  /** Number of files that events refer to but that are missing or altered in the database. They are not exported. */
  readonly damaged: number;
  /** Whether the export contains the program that derives its claims. */
  readonly claimsChecker: boolean;
  /** Id of the key that signed the manifest. */
  readonly keyId: string;
  /** SHA-256 of the manifest, hex. */
  readonly manifestHash: string;
}

/** The export folder is not empty. */
export class ExportFolderTaken extends Error {
  override readonly name = 'ExportFolderTaken';
  readonly code = 'export_folder_taken';
}

/** The audit checker, copied into every export. The relative path works from both `src` and `dist`. */
export const auditCheckerUrl = new URL('../../checker/check-export.mjs', import.meta.url);

/**
 * The program that derives the claims of an export, copied into every export with files. `scripts/bundle-claims-checker.mjs` makes it;
 * sources that were never compiled do not have it.
 */
const claimsCheckerUrl = new URL('../../dist/verify-claims.mjs', import.meta.url);

const EVENTS_PER_ABORT_CHECK = 5_000;

/**
 * Exports the log, or selected jobs, into a folder that can be verified without a database: events as CloudEvents in JSON Lines, stream
 * heads, anchors, and a signed manifest with the hash of each file. Reads one snapshot in constant memory.
 * @throws ExportFolderTaken, DatabaseUnreachable, file system errors, the signal's reason
 */
export async function exportLog(pool: pg.Pool, options: ExportLogOptions): Promise<ExportSummary> {
  await mkdir(options.folder, { recursive: true });
  if ((await readdir(options.folder)).length > 0)
    throw new ExportFolderTaken(`${options.folder} is not empty. Choose a folder that does not exist yet.`);
  return runInSnapshot(pool, (client) => new Export(client, options).run());
}

/**
 * Exports only the events into a new JSON Lines file, for use by other programs. The file proves nothing.
 * @returns the number of events written
 * @throws DatabaseUnreachable, file system errors, the signal's reason
 */
export function exportEventFile(pool: pg.Pool, path: string, options: EventSelection): Promise<number> {
  return runInSnapshot(pool, async (client) => {
    const file = new FileWriter(path);
    try {
      const events = await writeEvents(client, options, (piece) => file.write(piece));
      file.end();
      return events;
    } catch (error) {
      file.close();
      throw error;
    }
  });
}

/** Writes all events by stream and version. The streams in cold storage are written between those of the log. */
async function writeEvents(
  client: pg.ClientBase,
  options: EventSelection,
  write: (piece: Buffer) => void,
): Promise<number> {
  const event = new BinaryEvent();
  const { jobs, cold, source = DEFAULT_SOURCE, signal } = options;
  let events = 0;
  if (!jobs) await client.query('SET LOCAL enable_sort = off');
  const copyStreams = (condition: string): Promise<void> => {
    const where = whereJobs(jobs) === '' ? ` WHERE ${condition}` : `${whereJobs(jobs)} AND ${condition}`;
    const query = `SELECT ${EVENT_COLUMNS_BINARY} FROM phaseline.events${where} ORDER BY stream_id, version`;
    return copyRows(client, query, EVENT_COLUMN_COUNT, (row) => {
      for (const piece of toCloudEventLine(event.read(row), source)) write(piece);
      events += 1;
      if (events % EVENTS_PER_ABORT_CHECK === 0) signal?.throwIfAborted();
    });
  };
  let last = '';
  for (const { streamId, archive } of await listColdStreams(client, jobs)) {
    signal?.throwIfAborted();
    await copyStreams(`stream_id > ${pg.escapeLiteral(last)} AND stream_id < ${pg.escapeLiteral(streamId)}`);
    for (const archived of await readColdEvents(cold, client, archive)) {
      if (archived.streamId !== streamId) continue;
      for (const piece of toArchivedCloudEventLine(archived, source)) write(piece);
      events += 1;
    }
    last = streamId;
  }
  await copyStreams(`stream_id > ${pg.escapeLiteral(last)}`);
  return events;
}

async function listColdStreams(
  client: pg.ClientBase,
  jobs: readonly string[] | undefined,
): Promise<{ readonly streamId: string; readonly archive: string }[]> {
  const { rows } = await client.query<{ streamId: string; archive: string }>(
    `SELECT c.stream_id AS "streamId", c.archive FROM phaseline.cold_streams AS c JOIN phaseline.cold_archives AS a USING (archive)
     WHERE $1::text[] IS NULL OR a.correlation_id = ANY ($1) ORDER BY c.stream_id`,
    [jobs ?? null],
  );
  return rows;
}

class Export {
  private readonly files: Record<string, string> = {};
  private damaged = 0;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly options: ExportLogOptions,
  ) {}

  async run(): Promise<ExportSummary> {
    const { folder, key, now, jobs } = this.options;
    const events = await this.writeFile('events.jsonl', (file) => this.writeEvents(file));
    await this.client.query('SET LOCAL enable_sort = on');
    const streams = await this.writeFile('heads.jsonl', (file) => this.writeHeads(file));
    const anchors = await this.writeFile('anchors.jsonl', (file) => writeAnchors(this.client, file));
    await this.writeFile('anchored-heads.jsonl', (file) => writeAnchoredHeads(this.client, file, whereJobs(jobs)));
    const blobs = await this.writeFile('blobs.jsonl', (file) => this.writeBlobs(file));
    await this.copyProgram('check-export.mjs', auditCheckerUrl);
    const claimsChecker = (this.options.withFiles ?? false) && existsSync(claimsCheckerUrl);
    if (claimsChecker) await this.copyProgram('verify-claims.mjs', claimsCheckerUrl);
    const keys = new Map((await readPublishedKeys(this.client)).map((published) => [published.keyId, published.der]));
    keys.set(key.keyId, key.der);
    const manifest = Buffer.from(
      `${JSON.stringify(
        {
          format: 'phaseline-audit-export-1',
          exportedAt: now().toISOString(),
          jobs: jobs ?? null,
          events,
          streams,
          anchors,
          blobs,
          withFiles: this.options.withFiles ?? false,
          keyId: key.keyId,
          keys: [...keys.values()].map((der) => der.toString('base64')),
          files: this.files,
        },
        null,
        2,
      )}\n`,
    );
    await writeFile(join(folder, 'manifest.json'), manifest, { mode: 0o600 });
    await writeFile(join(folder, 'manifest.sig'), `${key.sign(manifest).toString('base64')}\n`, { mode: 0o600 });
    const manifestHash = hash('sha256', manifest, 'hex');
    const { damaged } = this;
    return { folder, events, streams, anchors, blobs, damaged, claimsChecker, keyId: key.keyId, manifestHash };
  }

  private async copyProgram(name: string, url: URL): Promise<void> {
    const program = await readFile(url);
    this.files[name] = hash('sha256', program, 'hex');
    await writeFile(join(this.options.folder, name), program, { mode: 0o600 });
  }

  private async writeFile(name: string, write: (file: FileWriter) => Promise<number>): Promise<number> {
    this.options.signal?.throwIfAborted();
    const file = new FileWriter(join(this.options.folder, name));
    try {
      const count = await write(file);
      this.files[name] = file.end();
      return count;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  private writeEvents(file: FileWriter): Promise<number> {
    return writeEvents(this.client, this.options, (piece) => file.write(piece));
  }

  private async writeHeads(file: FileWriter): Promise<number> {
    let streams = 0;
    const query = `SELECT stream_id, version, hash FROM phaseline.streams${whereJobs(this.options.jobs)} ORDER BY stream_id`;
    await copyRows(this.client, query, 3, ({ buffer, starts, lengths }) => {
      const stream = buffer.toString('utf8', starts[0]!, starts[0]! + lengths[0]!);
      const version = Number(buffer.readBigInt64BE(starts[1]!));
      const hash = buffer.toString('hex', starts[2]!, starts[2]! + lengths[2]!);
      file.write(`${JSON.stringify({ stream, version, hash })}\n`);
      streams += 1;
    });
    return streams;
  }

  /** Writes the content that the exported events refer to. Missing or altered content is only listed, with the kind of problem. */
  private async writeBlobs(file: FileWriter): Promise<number> {
    const { jobs, cold, withFiles, signal } = this.options;
    if (!withFiles) return 0;
    const folder = join(this.options.folder, 'blobs');
    await mkdir(folder, { mode: 0o700 });
    // Reads within the snapshot, and checks all bytes before it returns them.
    const blobs = new BlobStore(this.client as unknown as pg.Pool);
    const damaged = new Set<string>();
    let written = 0;
    for await (const named of readReferencedFiles(this.client, jobs, cold)) {
      for (const { hash: name } of named) {
        signal?.throwIfAborted();
        const path = join(folder, name);
        if (damaged.has(name) || existsSync(path)) continue;
        try {
          file.write(`${JSON.stringify({ hash: name, bytes: await writeContent(path, blobs.stream(name)) })}\n`);
          written += 1;
        } catch (error) {
          const problem = problemKindOf(error);
          if (!problem) throw error;
          damaged.add(name);
          file.write(`${JSON.stringify({ hash: name, problem })}\n`);
        }
      }
    }
    this.damaged = damaged.size;
    return written;
  }
}

/** Writes a new file and returns its size in bytes. Removes the file if writing fails. */
async function writeContent(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const part of content) {
      await file.appendFile(part);
      bytes += part.byteLength;
    }
    return bytes;
  } catch (error) {
    await rm(path);
    throw error;
  } finally {
    await file.close();
  }
}

function problemKindOf(error: unknown): FileProblemKind | undefined {
  if (error instanceof BlobNotStored) return 'file-missing';
  return error instanceof BlobCorrupt ? 'file-altered' : undefined;
}

function whereJobs(jobs: readonly string[] | undefined): string {
  return jobs === undefined ? '' : ` WHERE correlation_id IN (${jobs.map((job) => pg.escapeLiteral(job)).join(', ')})`;
}
