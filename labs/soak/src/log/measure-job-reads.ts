import type { JobId } from '@phaseline/contracts';
import { EventStore, type createPool } from '@phaseline/event-store';
import { percentile, type SeededRandom } from '@phaseline/harness';
import { JobRepository } from '@phaseline/repository';
import { explainStatements } from './explain-statements.js';

type Pool = ReturnType<typeof createPool>;

/** Reading and folding all streams of a job, without a cache. */
export interface JobReadFigures {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Average number of rows per job. */
  readonly rows: number;
  /** Average number of pages of 8 KiB accessed per row. */
  readonly buffersPerRow: number;
}

/** Measures reading of jobs. Throws if there are no such jobs. */
export async function measureJobReads(pool: Pool, jobIds: readonly JobId[]): Promise<JobReadFigures> {
  const timesMs: number[] = [];
  const counts = { rows: 0, buffers: 0 };
  for (const jobId of jobIds) {
    const began = performance.now();
    await loadWholeJob(pool, jobId);
    timesMs.push(performance.now() - began);
    const read = await explainStatements(pool, (recording) => loadWholeJob(recording, jobId));
    counts.rows += read.rows;
    counts.buffers += read.buffers;
  }
  return {
    p50Ms: percentile(timesMs, 0.5),
    p99Ms: percentile(timesMs, 0.99),
    rows: counts.rows / jobIds.length,
    buffersPerRow: counts.buffers / counts.rows,
  };
}

/** Finds jobs at random places of the index of streams. */
export async function findRandomJobs(pool: Pool, random: SeededRandom, count: number): Promise<readonly JobId[]> {
  const found = new Set<JobId>();
  for (let drawn = 0; drawn < count; drawn += 1) {
    const { rows } = await pool.query<{ id: JobId }>(
      `SELECT substr(stream_id, 5) AS id FROM phaseline.streams
       WHERE stream_id > 'job-' || $1 AND stream_id < 'job.' ORDER BY stream_id LIMIT 1`,
      [random.uuid()],
    );
    if (rows[0]) found.add(rows[0].id);
  }
  return [...found];
}

/** Loads a job with its phases, like a process that has not cached it. */
async function loadWholeJob(pool: Pool, jobId: JobId): Promise<void> {
  const jobs = new JobRepository(new EventStore(pool));
  if (!(await jobs.loadJob(jobId))) throw new Error(`job ${jobId} is in the log but cannot be loaded`);
  for (let phase = 1; await jobs.loadPhase(jobId, phase); phase += 1);
}
