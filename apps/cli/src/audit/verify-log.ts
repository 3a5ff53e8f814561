import type { Seal, SealReport } from '@phaseline/audit';
import { createPool, verifyChain } from '@phaseline/event-store';
import { NoSuchJob } from '../command/command-errors.js';
import { counted } from '../output/quantities.js';
import { onlyJob, readJobId, SHOWN_CANDIDATES } from '../connection/job-id.js';

/** A place where the log is not what was written: at an event of a stream, at a seal, or in a file of an export. */
export interface AuditProblem {
  readonly streamId?: string | undefined;
  readonly version?: number | undefined;
  readonly seal?: number | undefined;
  readonly jobId?: string | undefined;
  /** Of a file: path in the workspace, or the place of a long text in its event. */
  readonly path?: string | undefined;
  readonly hash?: string | undefined;
  /** Those of ChainProblemKind, SealProblemKind and FileProblemKind, and of an export those of its files (docs/audit.md). */
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
  /** Files and long texts whose content was hashed; absent where that was not asked for, or an export holds none. */
  readonly files?: number;
  readonly bytes?: number;
  /** What keys and receipts that were given have shown. */
  readonly confirmed?: readonly string[];
  /** What this run could not show, with what it takes. */
  readonly notChecked?: readonly string[];
  /** The first ones; `problemCount` counts all. */
  readonly problems: readonly AuditProblem[];
  readonly problemCount: number;
}

export interface VerifyLogOptions {
  /** Only the streams of this job; an id or the beginning of one. */
  readonly job?: string | undefined;
  /** Seals of receipts. */
  readonly receipts?: readonly Seal[];
  /** Ids of the keys that may have sealed; default: any. */
  readonly trustedKeyIds?: readonly string[] | undefined;
  /** Whether files and long texts are checked; default true. */
  readonly withFiles?: boolean;
  readonly signal: AbortSignal;
  readonly onFiles?: (files: number, bytes: number) => void;
  /** Events that were checked, and how many there are. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Recomputes every hash of a log and compares it with what is stored and with what was sealed, in one snapshot: a system that goes on
 * writing is not disturbed. Throws NoSuchJob, AmbiguousJob, ReceiptUnusable, the database's errors, or the signal's reason.
 */
export async function verifyLog(databaseUrl: string, options: VerifyLogOptions): Promise<AuditReport> {
  const { signal, onProgress, onFiles, receipts = [] } = options;
  const { verifyFiles, verifySeals } = await import('@phaseline/audit');
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
    const files =
      options.withFiles !== false
        ? await verifyFiles(pool, {
            correlationId,
            signal,
            onProgress: ({ files, bytes }) => onFiles?.(files, bytes),
          })
        : undefined;
    const problemCount = chain.problemCount + seals.problems.length + (files?.problemCount ?? 0);
    return {
      holds: problemCount === 0,
      ...chain,
      seals: seals.seals,
      keyIds: seals.keyIds,
      ...(files ? { files: files.files, bytes: files.bytes } : {}),
      confirmed: confirmed(seals, receipts, trustedKeyIds),
      notChecked: [
        ...(files ? [] : ['the content of files and long texts: --no-files was given']),
        ...(files && files.encryptedJobs > 0
          ? [
              `${counted(files.encryptedFiles, 'file')} of ${counted(files.encryptedJobs, 'encrypted job')}: without the key nobody knows their names; they are checked when they are read with it`,
            ]
          : []),
        ...sealsNotChecked(seals, {
          events: correlationId === undefined ? chain.events : undefined,
          keys: trustedKeyIds !== undefined,
          receipts: receipts.length > 0,
        }),
      ],
      problems: [...seals.problems, ...chain.problems, ...(files?.problems ?? [])],
      problemCount,
    };
  } finally {
    await pool.end();
  }
}

function confirmed(
  { last, problems }: SealReport,
  receipts: readonly Seal[],
  trustedKeyIds: readonly string[] | undefined,
): string[] {
  const holds = (...kinds: readonly string[]): boolean => !problems.some(({ kind }) => kinds.includes(kind));
  const newest = receipts.reduce<Seal | undefined>(
    (most, seal) => (most && most.number > seal.number ? most : seal),
    undefined,
  );
  return [
    ...(trustedKeyIds && last && holds('seal-forged', 'seal-other-key')
      ? [`every seal is signed by a key that was given (${trustedKeyIds.join(', ')})`]
      : []),
    ...(newest && holds('seal-missing', 'receipt-mismatch', 'seal-altered')
      ? [
          `the log holds every seal of ${counted(receipts.length, 'receipt')}, up to seal ${newest.number} of ${newest.sealedAt}: ` +
            'none was removed or made again up to there',
        ]
      : []),
  ];
}

/** What the seals cannot show by themselves. `events` of the whole log; absent where one job alone was checked. */
function sealsNotChecked(
  { last, seals }: SealReport,
  {
    events,
    keys,
    receipts,
  }: { readonly events: number | undefined; readonly keys: boolean; readonly receipts: boolean },
): string[] {
  if (events === 0 && seals === 0 && !receipts)
    return ['whether this log ever held anything: it is empty, and only a receipt could show what is gone (--receipt)'];
  if (seals === 0)
    return ['whether the ends of streams, or whole streams, were removed: nothing is sealed (phaseline audit seal)'];
  const unsealed = events === undefined || !last ? 0 : events - last.events;
  return [
    ...(keys ? [] : ['who signed the seals: give the public key that you know (--key)']),
    ...(receipts ? [] : ['whether the newest seals were removed with what they cover: give a receipt (--receipt)']),
    ...(unsealed > 0
      ? [`whether something was removed behind the last seal: ${counted(unsealed, 'event')} came after it`]
      : []),
  ];
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
