import type pg from 'pg';
import { mapDatabaseError } from '../database/database-errors.js';
import { wellFormedText } from '@phaseline/basics';

/** A file of a job, as the log says that it should be. */
export interface MirroredFile {
  readonly jobId: string;
  /** Empty for an event that could not be read: the files that it names are not known. */
  readonly path: string;
  /** Undefined: the file should not exist. */
  readonly content: { readonly hash: string; readonly size: number } | undefined;
}

export interface UnmirroredFile extends MirroredFile {
  /** Machine and folder, for people. */
  readonly place: string;
  readonly reason: string;
  readonly attempts: number;
  /** ISO 8601. */
  readonly since: string;
}

const FIRST_RETRY_S = 60;
const LONGEST_RETRY_S = 3_600;
/** More than a reason needs. */
const REASON_LENGTH = 1_000;
/** Files that are tried again in one round. */
const RETRY_BATCH = 100;

interface Row {
  readonly job_id: string;
  readonly path: string;
  readonly hash: string | null;
  readonly size: string | null;
  readonly place: string;
  readonly reason: string;
  readonly attempts: number;
  readonly since: Date;
}

/** The files that a mirror on disk could not write or remove. */
export class UnmirroredFiles {
  constructor(
    private readonly pool: pg.Pool,
    private readonly options: { readonly mirror: string; readonly place: string },
  ) {}

  /** Remembers a failure. Returns whether the file was not known to fail. */
  async add({ jobId, path, content }: MirroredFile, reason: string): Promise<boolean> {
    const { rows } = await this.query<{ added: boolean }>(
      `INSERT INTO phaseline.unmirrored_files (mirror, job_id, path, hash, size, place, reason)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (mirror, job_id, path) DO UPDATE SET hash = excluded.hash, size = excluded.size, reason = excluded.reason
       RETURNING xmax = 0 AS added`,
      [
        this.options.mirror,
        jobId,
        path,
        content?.hash ?? null,
        content?.size ?? null,
        this.options.place,
        wellFormedText(reason).slice(0, REASON_LENGTH),
      ],
    );
    return rows[0]?.added ?? false;
  }

  /** Paths of these jobs that are known to fail, as `<job>/<path>`. */
  async known(jobIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.query<Pick<Row, 'job_id' | 'path'>>(
      'SELECT job_id, path FROM phaseline.unmirrored_files WHERE mirror = $1 AND job_id = ANY ($2)',
      [this.options.mirror, jobIds],
    );
    return new Set(rows.map(({ job_id, path }) => `${job_id}/${path}`));
  }

  /** Forgets a file, once a retry of it that is under way has ended. */
  async remove(jobId: string, path: string): Promise<void> {
    await this.query('DELETE FROM phaseline.unmirrored_files WHERE mirror = $1 AND job_id = $2 AND path = $3', [
      this.options.mirror,
      jobId,
      path,
    ]);
  }

  /**
   * Tries the files again whose time has come, or all with `all`; each is locked meanwhile, so that `remove` waits and an older
   * content is never written over a newer one. Returns how many were written.
   */
  async retry(write: (file: MirroredFile) => Promise<void>, options: { readonly all?: boolean } = {}): Promise<number> {
    let written = 0;
    const { rows: due } = await this.query<Row>(
      `SELECT job_id, path FROM phaseline.unmirrored_files
       WHERE mirror = $1 AND path <> '' AND ($2 OR next_try_at <= now()) ORDER BY next_try_at LIMIT ${RETRY_BATCH}`,
      [this.options.mirror, options.all ?? false],
    );
    for (const { job_id, path } of due) written += (await this.retryOne(job_id, path, write)) ? 1 : 0;
    return written;
  }

  private async retryOne(jobId: string, path: string, write: (file: MirroredFile) => Promise<void>): Promise<boolean> {
    const client = await this.pool.connect();
    const key = [this.options.mirror, jobId, path];
    const here = 'mirror = $1 AND job_id = $2 AND path = $3';
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const { rows } = await client.query<Row>(
        `SELECT * FROM phaseline.unmirrored_files WHERE ${here} FOR UPDATE SKIP LOCKED`,
        key,
      );
      const [row] = rows;
      const failure = row && (await reasonOf(write(fileOf(row))));
      if (row && failure === undefined) await client.query(`DELETE FROM phaseline.unmirrored_files WHERE ${here}`, key);
      if (row && failure !== undefined)
        await client.query(
          `UPDATE phaseline.unmirrored_files SET attempts = attempts + 1, reason = $4,
             next_try_at = now() + least(${FIRST_RETRY_S} * power(2, least(attempts, 20)), ${LONGEST_RETRY_S}) * interval '1 second'
           WHERE ${here}`,
          [...key, wellFormedText(failure).slice(0, REASON_LENGTH)],
        );
      await client.query('COMMIT');
      return row !== undefined && failure === undefined;
    } catch (error) {
      broken = error as Error;
      throw mapDatabaseError(error);
    } finally {
      // A connection in an unknown state is not used again.
      client.release(broken);
    }
  }

  private async query<T extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<T>> {
    try {
      return await this.pool.query<T>(text, [...values]);
    } catch (error) {
      throw mapDatabaseError(error);
    }
  }
}

/** The files that are in no mirror, of all mirrors, the oldest first. */
export async function unmirroredFiles(
  pool: pg.Pool,
  limit: number,
): Promise<{ readonly total: number; readonly files: readonly (UnmirroredFile & { readonly mirror: string })[] }> {
  const { rows } = await pool.query<Row & { mirror: string; total: string }>(
    'SELECT *, count(*) OVER () AS total FROM phaseline.unmirrored_files ORDER BY since, mirror, job_id, path LIMIT $1',
    [limit],
  );
  return {
    total: Number(rows[0]?.total ?? 0),
    files: rows.map((row) => ({
      ...fileOf(row),
      mirror: row.mirror,
      place: row.place,
      reason: row.reason,
      attempts: row.attempts,
      since: row.since.toISOString(),
    })),
  };
}

function fileOf({ job_id, path, hash, size }: Row): MirroredFile {
  return { jobId: job_id, path, content: hash === null ? undefined : { hash, size: Number(size) } };
}

async function reasonOf(attempt: Promise<void>): Promise<string | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
