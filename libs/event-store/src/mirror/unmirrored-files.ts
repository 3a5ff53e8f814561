import type pg from 'pg';
import { queryRows } from '../database/query-rows.js';
import { runInTransaction } from '../database/transaction.js';
import { toWellFormedText } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';

/** A file of a job with its content according to the log. */
export interface MirroredFile {
  readonly jobId: JobId;
  /** Path in the workspace. Empty for an event that could not be read, whose files are unknown. */
  readonly path: string;
  /** Expected content; undefined if the file should not exist. */
  readonly content:
    { readonly hash: string; readonly size: number; readonly mode?: 'executable' | 'link' | undefined } | undefined;
}

export interface UnmirroredFile extends MirroredFile {
  /** Machine and folder of the mirror, for people. */
  readonly location: string;
  readonly reason: string;
  readonly attempts: number;
  /** Time of the first failure, ISO 8601. */
  readonly firstFailedAt: string;
}

const FIRST_RETRY_SECONDS = 60;
const MAX_RETRY_SECONDS = 3_600;
const MAX_REASON_CHARACTERS = 1_000;
const FILES_PER_RETRY = 100;

interface Row {
  readonly job_id: JobId;
  readonly path: string;
  readonly hash: string | null;
  readonly size: string | null;
  readonly mode: 'executable' | 'link' | null;
  readonly location: string;
  readonly reason: string;
  readonly attempts: number;
  readonly first_failed_at: Date;
}

/** Tracks the files that a mirror on disk could not write or remove, and retries them. */
export class UnmirroredFiles {
  constructor(
    private readonly pool: pg.Pool,
    private readonly options: { readonly mirror: string; readonly location: string },
  ) {}

  /** Records a failure. Returns false if the file had already been recorded. */
  async add({ jobId, path, content }: MirroredFile, reason: string): Promise<boolean> {
    const [row] = await queryRows<{ added: boolean }>(this.pool, {
      text: `INSERT INTO phaseline.unmirrored_files (mirror, job_id, path, hash, size, mode, location, reason)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (mirror, job_id, path)
       DO UPDATE SET hash = excluded.hash, size = excluded.size, mode = excluded.mode, reason = excluded.reason
       RETURNING xmax = 0 AS added`,
      values: [
        this.options.mirror,
        jobId,
        path,
        content?.hash ?? null,
        content?.size ?? null,
        content?.mode ?? null,
        this.options.location,
        toWellFormedText(reason).slice(0, MAX_REASON_CHARACTERS),
      ],
    });
    return row?.added ?? false;
  }

  /** Returns the recorded files of these jobs as `<job>/<path>`. */
  async findRecorded(jobIds: readonly JobId[]): Promise<ReadonlySet<string>> {
    const rows = await queryRows<Pick<Row, 'job_id' | 'path'>>(this.pool, {
      text: 'SELECT job_id, path FROM phaseline.unmirrored_files WHERE mirror = $1 AND job_id = ANY ($2)',
      values: [this.options.mirror, jobIds],
    });
    return new Set(rows.map(({ job_id, path }) => `${job_id}/${path}`));
  }

  /** Removes the record of a file. Waits for a running retry of it. */
  async remove(jobId: JobId, path: string): Promise<void> {
    await queryRows(this.pool, {
      text: 'DELETE FROM phaseline.unmirrored_files WHERE mirror = $1 AND job_id = $2 AND path = $3',
      values: [this.options.mirror, jobId, path],
    });
  }

  /**
   * Retries the files that are due, or all with `all`, and returns how many succeeded. Each file is locked during its retry, so that
   * `remove` waits and older content never overwrites newer content.
   */
  async retry(write: (file: MirroredFile) => Promise<void>, options: { readonly all?: boolean } = {}): Promise<number> {
    let succeeded = 0;
    const due = await queryRows<Row>(this.pool, {
      text: `SELECT job_id, path FROM phaseline.unmirrored_files
       WHERE mirror = $1 AND path <> '' AND ($2 OR next_try_at <= now()) ORDER BY next_try_at LIMIT ${FILES_PER_RETRY}`,
      values: [this.options.mirror, options.all ?? false],
    });
    for (const { job_id, path } of due) succeeded += (await this.retryOne(job_id, path, write)) ? 1 : 0;
    return succeeded;
  }

  private async retryOne(jobId: JobId, path: string, write: (file: MirroredFile) => Promise<void>): Promise<boolean> {
    const key = [this.options.mirror, jobId, path];
    const keyCondition = 'mirror = $1 AND job_id = $2 AND path = $3';
    return runInTransaction(this.pool, async (client) => {
      const { rows } = await client.query<Row>(
        `SELECT * FROM phaseline.unmirrored_files WHERE ${keyCondition} FOR UPDATE SKIP LOCKED`,
        key,
      );
      const [row] = rows;
      const failure = row && (await failureReason(write(fileOf(row))));
      if (row && failure === undefined)
        await client.query(`DELETE FROM phaseline.unmirrored_files WHERE ${keyCondition}`, key);
      if (row && failure !== undefined)
        await client.query(
          `UPDATE phaseline.unmirrored_files SET attempts = attempts + 1, reason = $4,
             next_try_at = now() + least(${FIRST_RETRY_SECONDS} * power(2, least(attempts, 20)), ${MAX_RETRY_SECONDS}) * interval '1 second'
           WHERE ${keyCondition}`,
          [...key, toWellFormedText(failure).slice(0, MAX_REASON_CHARACTERS)],
        );
      return row !== undefined && failure === undefined;
    });
  }
}

/** Reads the recorded files of all mirrors, oldest first. */
export async function listUnmirroredFiles(
  pool: pg.Pool,
  limit: number,
): Promise<{ readonly total: number; readonly files: readonly (UnmirroredFile & { readonly mirror: string })[] }> {
  const { rows } = await pool.query<Row & { mirror: string; total: string }>(
    'SELECT *, count(*) OVER () AS total FROM phaseline.unmirrored_files ORDER BY first_failed_at, mirror, job_id, path LIMIT $1',
    [limit],
  );
  return {
    total: Number(rows[0]?.total ?? 0),
    files: rows.map((row) => ({
      ...fileOf(row),
      mirror: row.mirror,
      location: row.location,
      reason: row.reason,
      attempts: row.attempts,
      firstFailedAt: row.first_failed_at.toISOString(),
    })),
  };
}

function fileOf({ job_id, path, hash, size, mode }: Row): MirroredFile {
  const content = hash === null ? undefined : { hash, size: Number(size), ...(mode === null ? {} : { mode }) };
  return { jobId: job_id, path, content };
}

/** Returns the message of the error, or undefined on success. */
async function failureReason(attempt: Promise<void>): Promise<string | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
