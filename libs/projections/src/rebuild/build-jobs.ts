import type { JobId } from '@phaseline/contracts';
import type { ColdStorage } from '@phaseline/event-store';
import type pg from 'pg';
import {
  findBehindJobs,
  isContentError,
  shouldApply,
  describeUnfoldable,
  recordBehind,
  findReadableAgain,
  type BehindJob,
} from '../behind/behind-jobs.js';
import { Fold, readModels } from '../fold/fold.js';
import type { LogBounds } from '../log/log-bounds.js';
import { readJobs } from '../log/read-jobs.js';
import { readSchedules } from '../log/read-schedules.js';
import type { ReadModelName } from '../models/read-model.js';
import { copyRows } from '../tables/copy-rows.js';
import { runInSavepoint } from './session.js';
import { tableName } from '../tables/table-versions.js';

/** Table versions under construction, by read model. */
export type BuiltVersions = ReadonlyMap<ReadModelName, number>;

/**
 * Folds some jobs from the log, from their first event up to the bounds. Returns the fold, the number of events, and
 * the jobs that are not understood to their end.
 */
export async function foldJobs(
  client: pg.PoolClient,
  jobIds: readonly JobId[],
  bounds: LogBounds,
  cold: ColdStorage | undefined,
  /** Jobs to fold only up to a position; default: those with an event that still cannot be read. */
  upTo?: ReadonlyMap<JobId, BehindJob>,
): Promise<{ readonly fold: Fold; readonly events: number; readonly behind: readonly BehindJob[] }> {
  const places = upTo ?? (await unreadableJobs(client, jobIds));
  const { changes, behind } = await readJobs(client, jobIds, bounds, cold);
  const fold = new Fold(await readSchedules(client, changes));
  const notFolded = new Map<JobId, BehindJob>();
  for (const change of changes) {
    if (!shouldApply(change, places.get(change.jobId)) || !shouldApply(change, notFolded.get(change.jobId))) continue;
    try {
      fold.apply(change);
    } catch (error) {
      if (!notFolded.has(change.jobId)) notFolded.set(change.jobId, describeUnfoldable(change, error));
    }
  }
  return {
    fold,
    events: changes.length,
    behind: [...behind, ...notFolded.values()].filter(
      ({ jobId, position }) => places.get(jobId)?.position !== position,
    ),
  };
}

/**
 * Returns the recorded jobs that are still unreadable. A rebuild reads only some members of an event, so it might not
 * notice what makes the whole event unreadable.
 */
async function unreadableJobs(client: pg.PoolClient, jobIds: readonly JobId[]): Promise<ReadonlyMap<JobId, BehindJob>> {
  const noted = await findBehindJobs(client, jobIds);
  for (const [jobId, { reason }] of noted) if (reason === undefined) noted.delete(jobId);
  for (const { jobId } of await findReadableAgain(client, noted.values())) noted.delete(jobId);
  return noted;
}

/**
 * Folds some jobs and writes their rows, in one transaction. A job whose rows the tables refuse keeps those of its
 * first event, so that it is listed, and is recorded as behind; other jobs are not affected.
 */
export async function buildJobs(
  client: pg.PoolClient,
  versions: BuiltVersions,
  jobIds: readonly JobId[],
  bounds: LogBounds,
  cold: ColdStorage | undefined,
  write: (use: () => Promise<void>) => Promise<void>,
): Promise<number> {
  const { fold, events, behind } = await foldJobs(client, jobIds, bounds, cold);
  try {
    await write(async () => {
      await recordBehind(client, behind);
      await writeFold(client, versions, fold);
    });
    return events;
  } catch (error) {
    if (!isContentError(error)) throw error;
    if (jobIds.length === 1) return buildFirst(client, versions, jobIds[0]!, bounds, cold, write, error);
  }
  let counted = 0;
  for (const jobId of jobIds) counted += await buildJobs(client, versions, [jobId], bounds, cold, write);
  return counted;
}

async function buildFirst(
  client: pg.PoolClient,
  versions: BuiltVersions,
  jobId: JobId,
  bounds: LogBounds,
  cold: ColdStorage | undefined,
  write: (use: () => Promise<void>) => Promise<void>,
  error: unknown,
): Promise<number> {
  const [first, second] = (await readJobs(client, [jobId], bounds, cold)).changes;
  if (!first) throw error;
  const behind = describeUnfoldable(second ?? first, error);
  const { fold } = await foldJobs(client, [jobId], bounds, cold, new Map([[jobId, behind]]));
  await write(async () => {
    await recordBehind(client, [behind]);
    if (second) await writeFold(client, versions, fold);
  });
  return 1;
}

/** Inserts the rows of jobs that have none yet. */
async function writeFold(client: pg.PoolClient, versions: BuiltVersions, fold: Fold): Promise<void> {
  for (const [name, version] of versions)
    await copyRows(client, readModels[name], tableName(name, version), fold.rows(name));
}

/** Folds some jobs again and replaces their rows. */
export async function replaceJobs(
  client: pg.PoolClient,
  versions: BuiltVersions,
  jobIds: readonly JobId[],
  bounds: LogBounds,
  cold: ColdStorage | undefined,
): Promise<void> {
  for (const [name, version] of versions)
    await client.query(`DELETE FROM ${tableName(name, version)} WHERE job_id = ANY ($1::uuid[])`, [jobIds]);
  await buildJobs(client, versions, jobIds, bounds, cold, (use) => runInSavepoint(client, use));
}
