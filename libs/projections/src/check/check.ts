import type { JobId } from '@phaseline/contracts';
import type { ColdStorage } from '@phaseline/event-store';
import type pg from 'pg';
import { findBehindJobs, type BehindJob } from '../behind/behind-jobs.js';
import { readModels } from '../fold/fold.js';
import { readCheckpoints, type LogBounds } from '../log/log-bounds.js';
import { countJobs, readJobIdsAfter } from '../log/read-jobs.js';
import { columnsOf, readModelNames, type ReadModelName } from '../models/read-model.js';
import { foldJobs } from '../rebuild/build-jobs.js';
import { runInTransaction, withUtcSession } from '../rebuild/session.js';
import { readActiveVersions, tableName } from '../tables/table-versions.js';

/** A row that differs from the fold of the log. */
export interface RowDifference {
  /** Key values by column. */
  readonly key: Readonly<Record<string, string>>;
  /** The stored row as PostgreSQL prints rows; undefined when there is none. */
  readonly stored: string | undefined;
  readonly folded: string | undefined;
}

interface ModelCheck {
  readonly name: ReadModelName;
  readonly version: number;
  readonly rows: number;
  /** The first differences; `differenceCount` counts all. */
  readonly differences: readonly RowDifference[];
  readonly differenceCount: number;
}

export interface CheckReport {
  /** Whether every row equals the fold of the log and no job is behind. */
  readonly passed: boolean;
  /**
   * Jobs that are behind. Their rows are compared with the log up to that point, unless this release is the one that
   * does not understand the event.
   */
  readonly behindJobs: readonly BehindJob[];
  readonly jobs: number;
  readonly events: number;
  readonly projections: readonly ModelCheck[];
  readonly elapsedMs: number;
}

export interface CheckOptions {
  /** Where the events of moved jobs are; needed if there are any. */
  readonly cold?: ColdStorage | undefined;
  /** Read models to check; default all. */
  readonly names?: readonly ReadModelName[];
  readonly onProgress?: (progress: { readonly jobs: number; readonly ofJobs: number; readonly events: number }) => void;
  readonly signal?: AbortSignal;
}

const JOBS_PER_QUERY = 200;
const MAX_DIFFERENCES_SHOWN = 100;

/**
 * Verifies that the read models equal the fold of the log: reads the log again up to the checkpoints, folds it in
 * memory and compares every row byte for byte. Everything happens in one snapshot, in which rows and checkpoints belong
 * together, so the check neither disturbs a running system nor is affected by it. Throws ReadModelsBehind and ReadModelsAhead.
 */
export async function checkReadModels(pool: pg.Pool, options: CheckOptions = {}): Promise<CheckReport> {
  const startedAt = performance.now();
  const names = readModelNames.filter((name) => options.names?.includes(name) ?? true);
  return withUtcSession(pool, (client) =>
    runInTransaction(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async () => {
      const versions = await readActiveVersions(client);
      const bounds = await readCheckpoints(client);
      const checks = names.map((name) => new Comparison(name, versions[name]));
      const counted = await compareJobs(client, bounds, checks, options);
      for (const check of checks) await check.findUnknownJobs(client);
      const projections = checks.map((check) => check.report);
      return {
        passed: projections.every(({ differenceCount }) => differenceCount === 0) && counted.behindJobs.length === 0,
        ...counted,
        projections,
        elapsedMs: Math.round(performance.now() - startedAt),
      };
    }),
  );
}

async function compareJobs(
  client: pg.PoolClient,
  bounds: LogBounds,
  checks: readonly Comparison[],
  { onProgress, signal, cold }: CheckOptions,
): Promise<{ jobs: number; events: number; behindJobs: readonly BehindJob[] }> {
  const ofJobs = await countJobs(client);
  const noted = await findBehindJobs(client);
  const behind = new Map(noted);
  const counted = { jobs: 0, events: 0 };
  for (let last: JobId = ''; ;) {
    signal?.throwIfAborted();
    const ids = await readJobIdsAfter(client, last, JOBS_PER_QUERY);
    if (ids.length === 0) return { ...counted, behindJobs: [...behind.values()] };
    last = ids.at(-1)!;
    const { fold, events, behind: notUnderstood } = await foldJobs(client, ids, bounds, cold, noted);
    for (const job of notUnderstood) behind.set(job.jobId, job);
    // This release cannot check rows of a release that understands more events.
    const notUnderstoodIds = new Set(notUnderstood.map(({ jobId }) => jobId));
    const comparableIds = ids.filter((id) => !notUnderstoodIds.has(id));
    for (const check of checks) {
      const rows = fold.rows(check.name).filter(({ job_id }) => !notUnderstoodIds.has(String(job_id)));
      await check.compare(client, comparableIds, JSON.stringify(rows));
    }
    counted.jobs += ids.length;
    counted.events += events;
    onProgress?.({ ...counted, ofJobs });
  }
}

/** Compares one table with the fold. */
class Comparison {
  private rows = 0;
  private readonly differences: RowDifference[] = [];
  private differenceCount = 0;
  private readonly table: string;
  private readonly text: string;

  constructor(
    readonly name: ReadModelName,
    private readonly version: number,
  ) {
    this.table = tableName(name, version);
    const model = readModels[name];
    const keys = model.key.join(', ');
    const row = (alias: string): string =>
      `ROW(${columnsOf(model)
        .map((column) => `${alias}.${column}`)
        .join(', ')})::text`;
    // The server prints both rows as text, so the comparison covers exactly what a reader receives.
    this.text = `
      WITH folded AS (
        SELECT ${model.key.map((column) => `f.${column}`).join(', ')}, ${row('f')} AS row
        FROM jsonb_populate_recordset(NULL::${this.table}, $1::jsonb) AS f
      ), stored AS (
        SELECT ${model.key.map((column) => `s.${column}`).join(', ')}, ${row('s')} AS row
        FROM ${this.table} AS s WHERE s.job_id = ANY ($2::uuid[])
      ), both_sides AS (
        SELECT ${keys}, stored.row AS stored, folded.row AS folded FROM folded FULL JOIN stored USING (${keys})
      )
      SELECT NULL::jsonb AS key, NULL AS stored, NULL AS folded, count(stored) AS rows FROM both_sides
      UNION ALL
      SELECT to_jsonb(b) - 'stored' - 'folded', b.stored, b.folded, NULL FROM both_sides AS b
      WHERE b.stored IS DISTINCT FROM b.folded`;
  }

  async compare(client: pg.PoolClient, jobIds: readonly JobId[], folded: string): Promise<void> {
    const { rows } = await client.query<DifferenceRow>(this.text, [folded, jobIds]);
    for (const { key, stored, folded: expected, rows: counted } of rows) {
      if (key === null) this.rows += Number(counted);
      else this.add({ key, stored: stored ?? undefined, folded: expected ?? undefined });
    }
  }

  /** Finds rows of jobs that are not in the log. */
  async findUnknownJobs(client: pg.PoolClient): Promise<void> {
    const { rows } = await client.query<{ key: Record<string, string>; stored: string }>(
      `SELECT jsonb_build_object(${readModels[this.name].key.map((column) => `'${column}', t.${column}`).join(', ')}) AS key,
         t::text AS stored
       FROM ${this.table} AS t
       WHERE NOT EXISTS (SELECT FROM phaseline.streams AS s WHERE s.stream_id = 'job-' || t.job_id)`,
    );
    this.rows += rows.length;
    for (const { key, stored } of rows) this.add({ key, stored, folded: undefined });
  }

  get report(): ModelCheck {
    const { name, version, rows, differences, differenceCount } = this;
    return { name, version, rows, differences, differenceCount };
  }

  private add(difference: RowDifference): void {
    this.differenceCount += 1;
    if (this.differences.length < MAX_DIFFERENCES_SHOWN) this.differences.push(difference);
  }
}

interface DifferenceRow {
  readonly key: Record<string, string> | null;
  readonly stored: string | null;
  readonly folded: string | null;
  readonly rows: string | null;
}
