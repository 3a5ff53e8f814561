import {
  contentHash,
  copyRows,
  runInSnapshot,
  PIECE_BYTES,
  computePiecesHash,
  type ColdStorage,
} from '@phaseline/event-store';
import type { JobId, StreamId } from '@phaseline/contracts';
import type pg from 'pg';
import { readReferencedFiles, type ReferencedFile } from './referenced-files.js';

/**
 * - `file-missing`: content that an event refers to, or a piece of it, is not stored.
 * - `file-altered`: the stored content does not match its name.
 */
export type FileProblemKind = 'file-missing' | 'file-altered';

interface FileProblem {
  readonly kind: FileProblemKind;
  /** Stream of the first event of the job that refers to the file by this path. */
  readonly streamId: StreamId;
  readonly version: number;
  readonly jobId: JobId;
  /** Path in the workspace, or the location of a long text in its event. */
  readonly path: string;
  readonly hash: string;
  readonly detail: string;
}

export interface FileReport {
  /** Number of distinct files and long texts whose content was hashed. */
  readonly files: number;
  readonly bytes: number;
  /** Number of references to them in events. */
  readonly references: number;
  /** Number of encrypted jobs, and of their stored files. They cannot be checked without the keys of the jobs. */
  readonly encryptedJobs: number;
  readonly encryptedFiles: number;
  /** Number of references to files that retention removed. Events name each of them. */
  readonly removedByRetention: number;
  /** Number of jobs whose vectors retention removed, with their files or before. Events say so. */
  readonly vectorsRemovedByRetention: number;
  /** The first 1,000 problems; `problemCount` counts all of them. */
  readonly problems: readonly FileProblem[];
  readonly problemCount: number;
}

export interface VerifyFilesOptions {
  /** Where the events of moved jobs are. */
  readonly cold?: ColdStorage | undefined;
  /** Job whose files to check; default: all jobs. */
  readonly correlationId?: JobId | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: { readonly files: number; readonly bytes: number }) => void) | undefined;
}

const MAX_PROBLEMS_KEPT = 1_000;
/** Number of cached outcomes, about 40 MB. Content beyond that is hashed again for every reference. */
const MAX_OUTCOMES = 200_000;
const NAMES_PER_QUERY = 1_000;
const BYTES_PER_QUERY = 16 * PIECE_BYTES;

/** Size in bytes of content that matches its name, or the problem with it. */
type Outcome = number | { readonly kind: FileProblemKind; readonly detail: string };

/**
 * Hashes the content of every file and long text that an event refers to, and compares it with its name. For large files it checks each
 * piece and the list of pieces. Uses one snapshot, one connection, the rights of a service, and bounded memory.
 * @throws DatabaseUnreachable, the signal's reason
 */
export function verifyFiles(pool: pg.Pool, options: VerifyFilesOptions = {}): Promise<FileReport> {
  return runInSnapshot(pool, (client) => new FileCheck(client, options).run());
}

/** Counts encrypted jobs by job_keys and by the log, so that a job whose row in job_keys was removed still counts. */
const COUNT_ENCRYPTED = `
  SELECT (SELECT count(*) FROM (
      SELECT correlation_id FROM phaseline.job_keys WHERE $1::text IS NULL OR correlation_id = $1
      UNION SELECT correlation_id FROM phaseline.streams
      WHERE phaseline.is_encrypted_job(correlation_id) AND ($1::text IS NULL OR correlation_id = $1)) AS jobs) AS jobs,
    (SELECT count(*) FROM phaseline.encrypted_blobs WHERE $1::text IS NULL OR correlation_id = $1) AS files`;

interface PieceRow {
  readonly size: string;
  readonly pieces: number;
  readonly number: number | null;
  readonly piece: string | null;
  readonly shadowed: boolean;
}

/** Counts the jobs, or the one job, whose vectors retention removed. */
async function countVectorRemovals(client: pg.ClientBase, correlationId: JobId | undefined): Promise<number> {
  const { rows } = await client.query<{ jobs: number }>(
    `SELECT count(DISTINCT correlation_id)::int AS jobs FROM phaseline.events
     WHERE type IN ('FilesRemoved', 'VectorsRemoved') AND (data ->> 'vectorFiles')::int > 0
       AND ($1::text IS NULL OR correlation_id = $1)`,
    [correlationId ?? null],
  );
  return rows[0]!.jobs;
}

/** Reads which hashes events of retention name, and of which jobs the files were removed. */
async function readRemovals(client: pg.ClientBase): Promise<{ hashes: Set<string>; jobs: Set<JobId> }> {
  const { rows } = await client.query<{ correlation_id: JobId; hashes: readonly string[] }>(
    `SELECT correlation_id, ARRAY(SELECT json_array_elements_text(data -> 'hashes')) AS hashes
     FROM phaseline.events WHERE type = 'FilesRemoved'`,
  );
  return {
    hashes: new Set(rows.flatMap(({ hashes }) => hashes)),
    jobs: new Set(rows.map(({ correlation_id: jobId }) => jobId)),
  };
}

class FileCheck {
  private files = 0;
  private bytes = 0;
  private references = 0;
  private problemCount = 0;
  private removedByRetention = 0;
  private removed = { hashes: new Set<string>(), jobs: new Set<JobId>() };
  private readonly problems: FileProblem[] = [];
  private readonly outcomes = new Map<string, Outcome>();
  private readonly reported = new Set<string>();

  constructor(
    private readonly client: pg.ClientBase,
    private readonly options: VerifyFilesOptions,
  ) {}

  async run(): Promise<FileReport> {
    const { correlationId, cold } = this.options;
    this.removed = await readRemovals(this.client);
    for await (const named of readReferencedFiles(
      this.client,
      correlationId === undefined ? undefined : [correlationId],
      cold,
    )) {
      this.references += named.length;
      for (let from = 0; from < named.length; from += NAMES_PER_QUERY)
        await this.check(named.slice(from, from + NAMES_PER_QUERY));
    }
    const { rows } = await this.client.query<{ jobs: string; files: string }>(COUNT_ENCRYPTED, [correlationId ?? null]);
    const [encryptedJobs, encryptedFiles] = [Number(rows[0]!.jobs), Number(rows[0]!.files)];
    const vectorsRemovedByRetention = await countVectorRemovals(this.client, correlationId);
    const { files, bytes, references, removedByRetention, problems, problemCount } = this;
    const removed = { removedByRetention, vectorsRemovedByRetention };
    return { files, bytes, references, encryptedJobs, encryptedFiles, ...removed, problems, problemCount };
  }

  private async check(named: readonly ReferencedFile[]): Promise<void> {
    const unchecked = new Map(
      named.filter(({ hash }) => !this.outcomes.has(hash)).map((file) => [file.hash, file.size]),
    );
    this.files += unchecked.size;
    await this.checkRows([...unchecked].filter(([, size]) => size <= PIECE_BYTES).map(([hash]) => hash));
    for (const [hash, size] of unchecked)
      if (size > PIECE_BYTES && !this.outcomes.has(hash)) this.outcomes.set(hash, await this.checkPieces(hash));
    for (const file of named) {
      const outcome = this.outcomes.get(file.hash)!;
      if (typeof outcome !== 'number' && outcome.kind === 'file-missing' && this.isRemoved(file))
        this.removedByRetention += 1;
      else if (typeof outcome !== 'number') this.report(file, outcome);
      else if (outcome !== file.size)
        this.report(file, { kind: 'file-altered', detail: `it has ${outcome} bytes, but the event says ${file.size}` });
    }
    // Maps iterate in insertion order, so this evicts the oldest entries.
    for (const hash of this.outcomes.keys()) {
      if (this.outcomes.size <= MAX_OUTCOMES) break;
      this.outcomes.delete(hash);
    }
  }

  /** Checks content that fits in one row, and records the outcomes. */
  private async checkRows(hashes: readonly string[]): Promise<void> {
    for (let from = 0; from < hashes.length; from += NAMES_PER_QUERY) {
      const names = hashes.slice(from, from + NAMES_PER_QUERY);
      // octet_length returns the stored length without reading the content.
      const { rows } = await this.client.query<{ hash: string; size: number }>(
        `SELECT encode(hash, 'hex') AS hash, octet_length(content) AS size FROM phaseline.blobs
         WHERE hash = ANY (ARRAY(SELECT decode(h, 'hex') FROM unnest($1::text[]) AS h))`,
        [names],
      );
      const sizes = new Map(rows.map(({ hash, size }) => [hash, size]));
      for (const hash of names)
        if (!sizes.has(hash)) this.outcomes.set(hash, { kind: 'file-missing', detail: 'its content is not stored' });
      let batch: string[] = [];
      let bytes = 0;
      for (const [hash, size] of sizes) {
        if (size > PIECE_BYTES) {
          const detail = `${size} bytes are stored under its name, more than one row may contain`;
          this.outcomes.set(hash, { kind: 'file-altered', detail });
          continue;
        }
        if (bytes + size > BYTES_PER_QUERY) {
          await this.hashRows(batch);
          [batch, bytes] = [[], 0];
        }
        batch.push(hash);
        bytes += size;
      }
      await this.hashRows(batch);
    }
  }

  private async hashRows(hashes: readonly string[]): Promise<void> {
    if (hashes.length === 0) return;
    this.options.signal?.throwIfAborted();
    const list = hashes.map((hash) => `'\\x${hash}'::bytea`).join(', ');
    const query = `SELECT hash, content FROM phaseline.blobs WHERE hash IN (${list})`;
    await copyRows(this.client, query, 2, ({ buffer, starts, lengths }) => {
      const bytesOf = (column: number): Buffer =>
        buffer.subarray(starts[column]!, starts[column]! + Math.max(0, lengths[column]!));
      const hash = bytesOf(0).toString('hex');
      const actual = contentHash(bytesOf(1));
      this.bytes += lengths[1]!;
      this.outcomes.set(
        hash,
        actual === hash ? lengths[1]! : { kind: 'file-altered', detail: `the stored content has the hash ${actual}` },
      );
    });
    this.options.onProgress?.({ files: this.files, bytes: this.bytes });
  }

  private async checkPieces(hash: string): Promise<Outcome> {
    const { rows } = await this.client.query<PieceRow>(
      `SELECT m.size, m.pieces, p.number, encode(p.piece, 'hex') AS piece,
         EXISTS (SELECT FROM phaseline.blobs AS b WHERE b.hash = m.hash) AS shadowed
       FROM phaseline.blob_manifests AS m
       LEFT JOIN phaseline.blob_pieces AS p ON p.hash = m.hash WHERE m.hash = decode($1, 'hex') ORDER BY p.number`,
      [hash],
    );
    if (rows.length === 0) return { kind: 'file-missing', detail: 'its list of pieces is not stored' };
    const size = Number(rows[0]!.size);
    const count = Math.ceil(size / PIECE_BYTES);
    const pieces = rows.flatMap(({ piece }, number) =>
      piece === null ? [] : [{ hash: piece, size: Math.min(PIECE_BYTES, size - number * PIECE_BYTES) }],
    );
    const actual = computePiecesHash(pieces);
    if (actual !== hash) {
      const detail =
        pieces.length < count
          ? `its list contains ${pieces.length} of ${count} pieces`
          : `its list of pieces has the hash ${actual}`;
      return { kind: 'file-altered', detail };
    }
    const misnumbered = rows.findIndex(({ number }, index) => number !== index);
    if (rows[0]!.shadowed)
      return { kind: 'file-altered', detail: 'a row is also stored under its name, and readers use that row first' };
    if (rows[0]!.pieces !== count)
      return { kind: 'file-altered', detail: `its list claims ${rows[0]!.pieces} pieces but contains ${count}` };
    if (misnumbered !== -1) {
      const detail = `piece ${misnumbered + 1} of ${count} is stored with the number ${rows[misnumbered]!.number}`;
      return { kind: 'file-altered', detail };
    }
    let number = 0;
    for (let from = 0; from < count; from += NAMES_PER_QUERY) {
      const page = pieces.slice(from, from + NAMES_PER_QUERY);
      await this.checkRows([...new Set(page.map((piece) => piece.hash))].filter((name) => !this.outcomes.has(name)));
      for (const piece of page) {
        number += 1;
        const outcome = this.outcomes.get(piece.hash)!;
        if (typeof outcome !== 'number')
          return { kind: outcome.kind, detail: `piece ${number} of ${count}: ${outcome.detail}` };
      }
    }
    return size;
  }

  /** Whether an event says that retention removed the file, and this job needs none of its files either. */
  private isRemoved({ hash, correlationId }: ReferencedFile): boolean {
    return this.removed.hashes.has(hash) && this.removed.jobs.has(correlationId);
  }

  /** Reports a problem once per job and path, because every phase that starts with a file refers to it again. */
  private report(file: ReferencedFile, { kind, detail }: { kind: FileProblemKind; detail: string }): void {
    const key = `${file.correlationId} ${file.hash} ${file.path}`;
    if (this.reported.has(key)) return;
    if (this.reported.size < MAX_OUTCOMES) this.reported.add(key);
    this.problemCount += 1;
    if (this.problems.length >= MAX_PROBLEMS_KEPT) return;
    const { streamId, version, correlationId: jobId, path, hash } = file;
    this.problems.push({ kind, streamId, version, jobId, path, hash, detail });
  }
}
