import type { JobId, StreamId } from '@phaseline/contracts';
import { parseStreamName } from '@phaseline/domain';
import { EventStore, isArchiveUnreadable, type ColdStorage } from '@phaseline/event-store';
import type pg from 'pg';
import type { ClaimSource } from './claim-source.js';
import { ClaimsTally, type ClaimsReport } from './claims-report.js';
import { deriveClaimsOfJob } from './derive-claims.js';

export interface VerifyClaimsOptions {
  /** Job whose claims to derive; default: all jobs. */
  readonly correlationId?: JobId | undefined;
  /** Where the events of moved jobs are. */
  readonly cold?: ColdStorage | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each job. */
  readonly onProgress?: ((progress: { readonly jobs: number; readonly claims: number }) => void) | undefined;
}

/** Number of job ids that are read at once. */
const JOBS_PER_QUERY = 1_000;

/**
 * Derives every accepted claim in the log again. Reads with the rights of a service and in bounded memory: one phase at a time.
 * @throws DatabaseUnreachable, the signal's reason
 */
export async function verifyClaims(pool: pg.Pool, options: VerifyClaimsOptions = {}): Promise<ClaimsReport> {
  const { correlationId, cold, signal, onProgress } = options;
  const source = createDatabaseSource(pool, cold);
  const tally = new ClaimsTally();
  let jobs = 0;
  for await (const jobId of correlationId === undefined ? listJobs(pool) : [correlationId]) {
    signal?.throwIfAborted();
    try {
      await deriveClaimsOfJob(source, jobId, tally);
    } catch (error) {
      // `verifyChain` reports the archive.
      if (!isArchiveUnreadable(error)) throw error;
    }
    jobs += 1;
    onProgress?.({ jobs, claims: tally.count });
  }
  return tally.getReport();
}

function createDatabaseSource(pool: pg.Pool, cold: ColdStorage | undefined): ClaimSource {
  const store = new EventStore(pool, { cold });
  return {
    listStreams: async (jobId) => {
      const { rows } = await pool.query<{ stream_id: StreamId }>(
        'SELECT stream_id FROM phaseline.streams WHERE correlation_id = $1',
        [jobId],
      );
      return rows.map(({ stream_id }) => stream_id);
    },
    readEvents: (streamId) => store.iterate(streamId),
    readContent: (hash) => store.blobs.get(hash),
  };
}

async function* listJobs(pool: pg.Pool): AsyncGenerator<JobId, void, undefined> {
  for (let after = ''; ;) {
    const { rows } = await pool.query<{ stream_id: StreamId }>(
      `SELECT stream_id FROM phaseline.streams WHERE stream_id LIKE 'job-%' AND stream_id > $1 ORDER BY stream_id LIMIT $2`,
      [after, JOBS_PER_QUERY],
    );
    for (const { stream_id: streamId } of rows) {
      const name = parseStreamName(streamId);
      if (name?.kind === 'job') yield name.jobId;
      after = streamId;
    }
    if (rows.length < JOBS_PER_QUERY) return;
  }
}
