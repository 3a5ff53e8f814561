import { createPool, verifyChain } from '@phaseline/event-store';
import { NoSuchJob } from '../command/command-errors.js';
import { onlyJob, readJobId, SHOWN_CANDIDATES } from '../connection/job-id.js';

/** A place where the log is not what was written: at an event of a stream, at a seal, or in a file of an export. */
export interface AuditProblem {
  readonly streamId?: string | undefined;
  readonly version?: number | undefined;
  readonly seal?: number | undefined;
  /** Those of ChainProblemKind and SealProblemKind, and of an export `manifest-forged` and `file-changed`. */
  readonly kind: string;
  /** For people. */
  readonly detail: string;
}

export interface AuditReport {
  readonly holds: boolean;
  readonly events: number;
  readonly streams: number;
  /** Seals that were checked; none where one job alone was looked at. */
  readonly seals?: number;
  /** The keys that signed them, to be compared with those that are known. */
  readonly keyIds?: readonly string[];
  /** The first ones; `problemCount` counts all. */
  readonly problems: readonly AuditProblem[];
  readonly problemCount: number;
}

export interface VerifyLogOptions {
  /** Only the streams of this job; an id or the beginning of one. */
  readonly job?: string | undefined;
  /** Receipts of seals, as text. */
  readonly receipts?: readonly string[];
  /** Ids of the keys that may have sealed; default: any. */
  readonly trustedKeyIds?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  /** Events that were checked, and how many there are. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Recomputes every hash of a log and compares it with what is stored and with what was sealed, in one snapshot: a system that goes on
 * writing is not disturbed. Throws NoSuchJob, AmbiguousJob, ReceiptUnusable, the database's errors, or the signal's reason.
 */
export async function verifyLog(databaseUrl: string, options: VerifyLogOptions): Promise<AuditReport> {
  const { signal, onProgress } = options;
  const { readReceipt, verifySeals } = await import('@phaseline/audit');
  const receipts = (options.receipts ?? []).map((text) => readReceipt(text).seal);
  const pool = createPool(databaseUrl, { max: 2, applicationName: 'phaseline-audit' });
  try {
    const correlationId = options.job === undefined ? undefined : await jobInLog(pool, options.job);
    const filter = correlationId === undefined ? {} : { correlationId };
    const total = onProgress ? await countEvents(pool, correlationId) : 0;
    const chain = await verifyChain(pool, {
      ...filter,
      signal,
      ...(onProgress ? { onProgress: ({ events }) => onProgress(events, total) } : {}),
    });
    if (correlationId !== undefined && chain.streams === 0)
      throw new NoSuchJob(`There is no job ${correlationId} in this log.`);
    const { trustedKeyIds } = options;
    const seals = await verifySeals(pool, { receipts, signal, ...(trustedKeyIds ? { trustedKeyIds } : {}) });
    const problemCount = chain.problemCount + seals.problems.length;
    return {
      holds: problemCount === 0,
      ...chain,
      seals: seals.seals,
      keyIds: seals.keyIds,
      problems: [...seals.problems, ...chain.problems],
      problemCount,
    };
  } finally {
    await pool.end();
  }
}

type Pool = ReturnType<typeof createPool>;

async function countEvents(pool: Pool, correlationId: string | undefined): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    'SELECT count(*) FROM phaseline.events WHERE $1::text IS NULL OR correlation_id = $1',
    [correlationId ?? null],
  );
  return Number(rows[0]?.count ?? 0);
}

/** The id of a job that is in the log, by its beginning. Throws NoSuchJob, AmbiguousJob. */
export async function existingJob(pool: Pool, given: string): Promise<string> {
  const job = await jobInLog(pool, given);
  if ((await countEvents(pool, job)) === 0) throw new NoSuchJob(`There is no job ${job} in this log.`);
  return job;
}

/** Asked of the log itself: an audit must not depend on a server. */
async function jobInLog(pool: Pool, given: string): Promise<string> {
  const { text, whole } = readJobId(given);
  if (whole) return text;
  // A prefix of an id holds nothing that LIKE would take for a pattern.
  const { rows } = await pool.query<{ stream_id: string }>(
    'SELECT stream_id FROM phaseline.streams WHERE stream_id LIKE $1 ORDER BY stream_id DESC LIMIT $2',
    [`job-${text}%`, SHOWN_CANDIDATES + 1],
  );
  return onlyJob(
    text,
    rows.map(({ stream_id }) => ({ jobId: stream_id.replace(/^job-/, '') })),
    'in this log',
  );
}
