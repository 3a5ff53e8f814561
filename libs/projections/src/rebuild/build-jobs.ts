import type pg from 'pg';
import { noteBehind, type BehindJob } from '../behind/behind-jobs.js';
import { Fold, readModels } from '../fold/fold.js';
import type { LogBounds } from '../log/log-bounds.js';
import { readJobs } from '../log/read-jobs.js';
import type { ReadModelName } from '../models/read-model.js';
import { copyRows } from '../tables/copy-rows.js';
import { tableName } from '../tables/table-versions.js';

/** The versions under construction, by name. */
export type BuiltVersions = ReadonlyMap<ReadModelName, number>;

/**
 * Folds some jobs out of the log, from their beginning up to the bounds. Returns the fold, how many events it took, and the
 * jobs that are not understood to their end.
 */
export async function foldJobs(
  client: pg.PoolClient,
  jobIds: readonly string[],
  bounds: LogBounds,
  /** Jobs that are folded only up to a place. */
  upTo: ReadonlyMap<string, BehindJob> = new Map(),
): Promise<{ readonly fold: Fold; readonly events: number; readonly behind: readonly BehindJob[] }> {
  const { changes, behind } = await readJobs(client, jobIds, bounds);
  const fold = new Fold();
  for (const change of changes)
    if (change.position < (upTo.get(change.jobId)?.position ?? Infinity)) fold.apply(change);
  return {
    fold,
    events: changes.length,
    behind: behind.filter(({ jobId, position }) => upTo.get(jobId)?.position !== position),
  };
}

/** Adds the rows of jobs that have none yet. */
export async function writeFold(client: pg.PoolClient, versions: BuiltVersions, fold: Fold): Promise<void> {
  for (const [name, version] of versions)
    await copyRows(client, readModels[name], tableName(name, version), fold.rows(name));
}

/** Folds some jobs anew and puts their rows in place of those that are there. */
export async function replaceJobs(
  client: pg.PoolClient,
  versions: BuiltVersions,
  jobIds: readonly string[],
  bounds: LogBounds,
): Promise<void> {
  const { fold, behind } = await foldJobs(client, jobIds, bounds);
  await noteBehind(client, behind);
  for (const [name, version] of versions)
    await client.query(`DELETE FROM ${tableName(name, version)} WHERE job_id = ANY ($1::uuid[])`, [jobIds]);
  await writeFold(client, versions, fold);
}
