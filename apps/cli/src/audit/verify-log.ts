import type { Anchor, AnchorReport, ClaimsReport } from '@phaseline/audit';
import type { JobId, StreamId } from '@phaseline/contracts';
import { createPool, verifyChain } from '@phaseline/event-store';
import { NoSuchJob } from '../command/command-errors.js';
import { pluralise } from '../output/quantities.js';
import { requireSingleJob, readJobId, MAX_CANDIDATES_SHOWN } from '../connection/job-id.js';

/** A place where the log is not what was written: an event of a stream, an anchor, or a file of an export. */
export interface AuditProblem {
  readonly streamId?: StreamId | undefined;
  readonly version?: number | undefined;
  readonly anchor?: number | undefined;
  readonly jobId?: JobId | undefined;
  /** Path of a file in the workspace, or the location of a long text in its event. */
  readonly path?: string | undefined;
  readonly hash?: string | undefined;
  /** A ChainProblemKind, AnchorProblemKind, FileProblemKind or ClaimProblemKind, or a kind that only exports have (docs/concepts/audit.md). */
  readonly kind: string;
  /** What is wrong, for people. */
  readonly detail: string;
}

export interface AuditReport {
  readonly passed: boolean;
  readonly events: number;
  readonly streams: number;
  /** Number of anchors checked; absent if only one job was checked. */
  readonly anchors?: number;
  /** Ids of the keys that signed them, to compare with those you trust. */
  readonly keyIds?: readonly string[];
  /** Number of files and long texts whose content was hashed; absent if not requested, or if an export holds none. */
  readonly files?: number;
  readonly bytes?: number;
  /** Number of accepted claims, and of those that follow from the log; absent if not requested. */
  readonly claims?: number;
  readonly derivedClaims?: number;
  /** What the given keys and receipts prove. */
  readonly confirmed?: readonly string[];
  /** What this run could not check, and what it would need. */
  readonly notChecked?: readonly string[];
  /** The first problems; `problemCount` counts all. */
  readonly problems: readonly AuditProblem[];
  readonly problemCount: number;
}

export interface VerifyLogOptions {
  /** Check only the streams of this job: an id, or a prefix of one. */
  readonly job?: string | undefined;
  /** Anchors that receipts prove. */
  readonly receipts?: readonly Anchor[];
  /** Ids of the keys that may have signed anchors; default: any. */
  readonly trustedKeyIds?: readonly string[] | undefined;
  /** Whether files and long texts are checked; default true. */
  readonly withFiles?: boolean;
  /** Whether every accepted claim is derived again; default false. */
  readonly withClaims?: boolean;
  readonly signal: AbortSignal;
  readonly onFiles?: (files: number, bytes: number) => void;
  /** Called with the number of jobs and claims checked so far. */
  readonly onClaims?: (jobs: number, claims: number) => void;
  /** Called with the number of events checked so far, and their total. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Recomputes every hash of a log and compares it with the stored hashes and the anchors. Reads one database snapshot, so writers are
 * not disturbed. Throws NoSuchJob, AmbiguousJob, ReceiptUnusable, the database's errors, or the signal's reason.
 */
export async function verifyLog(databaseUrl: string, options: VerifyLogOptions): Promise<AuditReport> {
  const { signal, onProgress, onFiles, onClaims, receipts = [] } = options;
  const { verifyClaims, verifyFiles, verifyAnchors } = await import('@phaseline/audit');
  const pool = createPool(databaseUrl, { max: 2, applicationName: 'phaseline-audit' });
  try {
    const correlationId = options.job === undefined ? undefined : await resolveJobInLog(pool, options.job);
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
    const anchors = await verifyAnchors(pool, { receipts, signal, ...(trustedKeyIds ? { trustedKeyIds } : {}) });
    const files =
      options.withFiles !== false
        ? await verifyFiles(pool, {
            correlationId,
            signal,
            onProgress: ({ files, bytes }) => onFiles?.(files, bytes),
          })
        : undefined;
    const claims = options.withClaims
      ? await verifyClaims(pool, {
          correlationId,
          signal,
          onProgress: ({ jobs, claims: count }) => onClaims?.(jobs, count),
        })
      : undefined;
    const problemCount = chain.problemCount + anchors.problems.length + (files?.problemCount ?? 0);
    const report: AuditReport = {
      passed: problemCount === 0,
      ...chain,
      anchors: anchors.anchors,
      keyIds: anchors.keyIds,
      ...(files ? { files: files.files, bytes: files.bytes } : {}),
      confirmed: describeConfirmed(anchors, receipts, trustedKeyIds),
      notChecked: [
        ...(files ? [] : ['the content of files and long texts: skipped by --no-files']),
        ...(files && files.removedByRetention > 0
          ? [
              `${pluralise(files.removedByRetention, 'reference')} to files: removed by retention, as events FilesRemoved say`,
            ]
          : []),
        ...(files && files.vectorsRemovedByRetention > 0
          ? [
              `vectors of ${pluralise(files.vectorsRemovedByRetention, 'job')}: removed by retention, as events FilesRemoved and VectorsRemoved say`,
            ]
          : []),
        ...(files && files.encryptedJobs > 0
          ? [
              `${pluralise(files.encryptedFiles, 'file')} of ${pluralise(files.encryptedJobs, 'encrypted job')}: their hashes are known only with the key; each is checked when it is read with the key`,
            ]
          : []),
        ...describeUnchecked(anchors, {
          events: correlationId === undefined ? chain.events : undefined,
          keys: trustedKeyIds !== undefined,
          receipts: receipts.length > 0,
        }),
      ],
      problems: [...anchors.problems, ...chain.problems, ...(files?.problems ?? [])],
      problemCount,
    };
    return claims ? addClaims(report, claims) : report;
  } finally {
    await pool.end();
  }
}

/** Adds what was found about claims to a report about the log or an export. */
export function addClaims(report: AuditReport, { claims, derived, notDerived, ...found }: ClaimsReport): AuditReport {
  return {
    ...report,
    passed: report.passed && found.problemCount === 0,
    claims,
    derivedClaims: derived,
    notChecked: [...(report.notChecked ?? []), ...notDerived],
    problems: [...report.problems, ...found.problems],
    problemCount: report.problemCount + found.problemCount,
  };
}

function describeConfirmed(
  { last, problems }: AnchorReport,
  receipts: readonly Anchor[],
  trustedKeyIds: readonly string[] | undefined,
): string[] {
  const hasNone = (...kinds: readonly string[]): boolean => !problems.some(({ kind }) => kinds.includes(kind));
  const newest = receipts.reduce<Anchor | undefined>(
    (latest, anchor) => (latest && latest.number > anchor.number ? latest : anchor),
    undefined,
  );
  return [
    ...(trustedKeyIds && last && hasNone('anchor-forged', 'anchor-other-key')
      ? [`every anchor is signed by a key that you gave (${trustedKeyIds.join(', ')})`]
      : []),
    ...(newest && hasNone('anchor-missing', 'receipt-mismatch', 'anchor-altered')
      ? [
          `the log holds every anchor of ${pluralise(receipts.length, 'receipt')}, up to anchor ${newest.number} of ${newest.anchoredAt}: ` +
            'none of these was removed or replaced',
        ]
      : []),
  ];
}

/** What the anchors alone cannot prove. `events` counts those of the whole log; absent if only one job was checked. */
function describeUnchecked(
  { last, anchors }: AnchorReport,
  {
    events,
    keys,
    receipts,
  }: { readonly events: number | undefined; readonly keys: boolean; readonly receipts: boolean },
): string[] {
  if (events === 0 && anchors === 0 && !receipts)
    return [
      'whether this log ever held events: it is empty, and only a receipt could show what was removed (--receipt)',
    ];
  if (anchors === 0)
    return ['whether the ends of streams, or whole streams, were removed: there is no anchor (phaseline audit anchor)'];
  const uncovered = events === undefined || !last ? 0 : events - last.events;
  return [
    ...(keys ? [] : ['who signed the anchors: give the public key you trust (--key)']),
    ...(receipts
      ? []
      : ['whether the newest anchors were removed with the events they cover: give a receipt (--receipt)']),
    ...(uncovered > 0
      ? [
          `whether events were removed after the last anchor: it does not cover the newest ${pluralise(uncovered, 'event')}`,
        ]
      : []),
  ];
}

type Pool = ReturnType<typeof createPool>;

async function countEvents(pool: Pool, correlationId: JobId | undefined): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    'SELECT count(*) FROM phaseline.events WHERE $1::text IS NULL OR correlation_id = $1',
    [correlationId ?? null],
  );
  return Number(rows[0]?.count ?? 0);
}

/** Returns the id of a job in the log, given the id or a prefix of it. Throws NoSuchJob, AmbiguousJob. */
export async function requireJobInLog(pool: Pool, given: string): Promise<JobId> {
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
