import type { JobId, StreamId } from '@phaseline/contracts';
import { queryRows, verifyChain, type ColdStorage } from '@phaseline/event-store';
import type pg from 'pg';
import type { Anchor } from './anchor/anchor.js';
import { verifyAnchors, type AnchorReport } from './anchor/verify-anchors.js';
import type { ClaimsReport } from './claims/claims-report.js';
import { verifyClaims } from './claims/verify-claims.js';
import { verifyFiles, type FileReport } from './files/verify-files.js';

/** A place where the log is not what was written: an event of a stream, an anchor, or a file of an export. */
interface AuditProblem {
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
  /** Number of events in cold storage among `events`; absent if there are none. */
  readonly coldEvents?: number;
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
  /** Check only the streams of this job. */
  readonly correlationId?: JobId | undefined;
  /** Where the events of moved jobs are; without it each of their streams is a problem. */
  readonly cold?: ColdStorage | undefined;
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
 * Recomputes every hash of a log, or of one job, and compares it with the stored hashes and the anchors. Reads snapshots in bounded memory,
 * so writers are not disturbed. A job that does not exist has 0 streams. Throws DatabaseUnreachable, or the signal's reason.
 */
export async function verifyLog(pool: pg.Pool, options: VerifyLogOptions): Promise<AuditReport> {
  const { signal, correlationId, cold, onProgress, onFiles, onClaims, receipts = [], trustedKeyIds } = options;
  const total = onProgress ? await countEvents(pool, correlationId) : 0;
  const chain = await verifyChain(pool, {
    ...(correlationId === undefined ? {} : { correlationId }),
    cold,
    signal,
    ...(onProgress ? { onProgress: ({ events }) => onProgress(events, total) } : {}),
  });
  const anchors = await verifyAnchors(pool, { receipts, signal, ...(trustedKeyIds ? { trustedKeyIds } : {}) });
  const files =
    options.withFiles === false
      ? undefined
      : await verifyFiles(pool, {
          correlationId,
          cold,
          signal,
          onProgress: (done) => onFiles?.(done.files, done.bytes),
        });
  const claims = options.withClaims
    ? await verifyClaims(pool, {
        correlationId,
        cold,
        signal,
        onProgress: (done) => onClaims?.(done.jobs, done.claims),
      })
    : undefined;
  const problemCount = chain.problemCount + anchors.problems.length + (files?.problemCount ?? 0);
  const report: AuditReport = {
    passed: problemCount === 0,
    events: chain.events,
    streams: chain.streams,
    ...(chain.coldEvents > 0 ? { coldEvents: chain.coldEvents } : {}),
    anchors: anchors.anchors,
    keyIds: anchors.keyIds,
    ...(files ? { files: files.files, bytes: files.bytes } : {}),
    confirmed: describeConfirmed(anchors, receipts, trustedKeyIds),
    notChecked: [
      ...(files ? describeUncheckedFiles(files) : ['the content of files and long texts: skipped by --no-files']),
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
}

/** Counts the events of a job, or of the whole log. */
export async function countEvents(pool: pg.Pool, correlationId: JobId | undefined): Promise<number> {
  const [row] = await queryRows<{ count: string }>(pool, {
    text: 'SELECT count(*) FROM phaseline.events WHERE $1::text IS NULL OR correlation_id = $1',
    values: [correlationId ?? null],
  });
  return Number(row?.count ?? 0);
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

function describeUncheckedFiles(files: FileReport): string[] {
  const { removedByRetention, vectorsRemovedByRetention, encryptedFiles, encryptedJobs } = files;
  return [
    ...(removedByRetention > 0
      ? [`${pluralise(removedByRetention, 'reference')} to files: removed by retention, as events FilesRemoved say`]
      : []),
    ...(vectorsRemovedByRetention > 0
      ? [
          `vectors of ${pluralise(vectorsRemovedByRetention, 'job')}: removed by retention, as events FilesRemoved and VectorsRemoved say`,
        ]
      : []),
    ...(encryptedJobs > 0
      ? [
          `${pluralise(encryptedFiles, 'file')} of ${pluralise(encryptedJobs, 'encrypted job')}: their hashes are known only with the key; each is checked when it is read with the key`,
        ]
      : []),
  ];
}

function pluralise(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}
