import type { Anchor, AuditReport, VerifyLogOptions as VerifyPoolOptions } from '@phaseline/audit';
import type { JobId, StreamId } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import { NoSuchJob } from '../command/command-errors.js';
import { requireSingleJob, readJobId, MAX_CANDIDATES_SHOWN } from '../connection/job-id.js';

export interface VerifyLogOptions extends Omit<VerifyPoolOptions, 'correlationId'> {
  /** Check only the streams of this job: an id, or a prefix of one. */
  readonly job?: string | undefined;
  /** Anchors that receipts prove. */
  readonly receipts?: readonly Anchor[];
}

/**
 * Recomputes every hash of a log and compares it with the stored hashes and the anchors. Reads one database snapshot, so writers are
 * not disturbed. Throws NoSuchJob, AmbiguousJob, ReceiptUnusable, the database's errors, or the signal's reason.
 */
export async function verifyLog(databaseUrl: string, { job, ...options }: VerifyLogOptions): Promise<AuditReport> {
  const audit = await import('@phaseline/audit');
  const pool = createPool(databaseUrl, { max: 2, applicationName: 'phaseline-audit' });
  try {
    const correlationId = job === undefined ? undefined : await resolveJobInLog(pool, job);
    const report = await audit.verifyLog(pool, { ...options, correlationId });
    if (correlationId !== undefined && report.streams === 0)
      throw new NoSuchJob(`There is no job ${correlationId} in this log.`);
    return report;
  } finally {
    await pool.end();
  }
}

type Pool = ReturnType<typeof createPool>;

/** Returns the id of a job in the log, given the id or a prefix of it. Throws NoSuchJob, AmbiguousJob. */
export async function requireJobInLog(pool: Pool, given: string): Promise<JobId> {
  const { countEvents } = await import('@phaseline/audit');
  const job = await resolveJobInLog(pool, given);
  if ((await countEvents(pool, job)) === 0) throw new NoSuchJob(`There is no job ${job} in this log.`);
  return job;
}

/** Queries the log itself: an audit must not depend on a server. */
async function resolveJobInLog(pool: Pool, given: string): Promise<JobId> {
  const { text, whole } = readJobId(given);
  if (whole) return text;
  // A prefix of an id contains no LIKE wildcards.
  const { rows } = await pool.query<{ stream_id: StreamId }>(
    'SELECT stream_id FROM phaseline.streams WHERE stream_id LIKE $1 ORDER BY stream_id DESC LIMIT $2',
    [`job-${text}%`, MAX_CANDIDATES_SHOWN + 1],
  );
  return requireSingleJob(
    text,
    rows.map(({ stream_id }) => ({ jobId: stream_id.replace(/^job-/, '') })),
    'in this log',
  );
}
