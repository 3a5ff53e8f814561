import type { JobId } from '@phaseline/contracts';
import { verifyChain, type ChainReport, type createPool } from '@phaseline/event-store';

type Pool = ReturnType<typeof createPool>;

export interface VerifyLogOptions {
  readonly pool: Pool;
  /** Number of events in the log. */
  readonly events: number;
  /** Time that the verification of all streams may take, in milliseconds. */
  readonly maxMs: number;
  /** Finds the jobs to verify if that would take longer. */
  readonly findSample: () => Promise<readonly JobId[]>;
  /** Called with the number of verified events. */
  readonly onProgress: (events: number) => void;
}

export interface LogVerification {
  /** The jobs that were verified, if not all streams were. */
  readonly sample?: readonly JobId[];
  readonly events: number;
  readonly streams: number;
  readonly problemCount: number;
  /** The first problems. */
  readonly problems: readonly string[];
}

/** Fraction of the permitted time after which the rest is estimated. */
const ESTIMATE_AFTER = 1 / 20;
const EVENTS_PER_PROGRESS = 1_000;
const MAX_PROBLEMS_SHOWN = 20;

/** Verifies the hash chains of all streams, or of the sample if all would take longer than permitted. */
export async function verifyLog(options: VerifyLogOptions): Promise<LogVerification> {
  const { pool, events, maxMs, onProgress } = options;
  const tooLong = new AbortController();
  const began = performance.now();
  try {
    const all = await verifyChain(pool, {
      signal: tooLong.signal,
      progressEvery: EVENTS_PER_PROGRESS,
      onProgress: (progress) => {
        onProgress(progress.events);
        const elapsedMs = performance.now() - began;
        const estimateMs = (elapsedMs * events) / Math.max(1, progress.events);
        if (elapsedMs >= maxMs * ESTIMATE_AFTER && estimateMs > maxMs && progress.events < events) tooLong.abort();
      },
    });
    return summarise([all]);
  } catch (error) {
    if (!tooLong.signal.aborted) throw error;
  }
  const sample = await options.findSample();
  const reports: ChainReport[] = [];
  for (const correlationId of sample) {
    reports.push(await verifyChain(pool, { correlationId }));
    onProgress(reports.reduce((sum, report) => sum + report.events, 0));
  }
  return { sample, ...summarise(reports) };
}

function summarise(reports: readonly ChainReport[]): Omit<LogVerification, 'sample'> {
  const sum = (count: (report: ChainReport) => number): number =>
    reports.reduce((total, report) => total + count(report), 0);
  return {
    events: sum((report) => report.events),
    streams: sum((report) => report.streams),
    problemCount: sum((report) => report.problemCount),
    problems: reports
      .flatMap((report) => report.problems)
      .slice(0, MAX_PROBLEMS_SHOWN)
      .map(({ kind, streamId, version, detail }) => `${kind} at ${streamId} version ${version}: ${detail}`),
  };
}
