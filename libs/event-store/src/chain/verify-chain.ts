import type { JobId, StreamId } from '@phaseline/contracts';
import type pg from 'pg';
import { runInSnapshot } from '../database/transaction.js';
import { ChainPass } from './chain-pass.js';
import type { ChainProblem } from './chain-problem.js';
import { readArchivesOfStreams, verifyColdStream } from './verify-cold-stream.js';
import type { ColdStorage } from '../cold/cold-storage.js';
import { diagnoseStream } from './diagnose-stream.js';
import { readLastAnchor, readEvidence } from './read-evidence.js';

export interface VerifyChainOptions {
  /** Correlation (job) whose streams to verify; default: all streams. */
  readonly correlationId?: JobId;
  /** Without it, each stream in cold storage is a problem. */
  readonly cold?: ColdStorage | undefined;
  /** Called after every `progressEvery` events and at the end. */
  readonly onProgress?: (progress: {
    readonly events: number;
    readonly streams: number;
    readonly problems: number;
  }) => void;
  /** Number of events between two calls of `onProgress`; default 5,000. */
  readonly progressEvery?: number;
  readonly onProblem?: (problem: ChainProblem) => void;
  /** Aborts verification with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface ChainReport {
  readonly events: number;
  readonly streams: number;
  /** Number of events in cold storage among `events`. */
  readonly coldEvents: number;
  /** The first 1,000 problems; `problemCount` counts all of them. */
  readonly problems: readonly ChainProblem[];
  readonly problemCount: number;
}

const EVENTS_PER_PROGRESS = 5_000;
const MAX_PROBLEMS_KEPT = 1_000;

/**
 * Verifies the log: recomputes the hash of every event from the stored bytes, checks that versions are consecutive, and compares each
 * stream with its row in `streams` and with the anchors. Reads one snapshot, so it neither affects concurrent appends nor is affected
 * by them. Uses one connection and constant memory, because it reads the log once in key order.
 *
 * It trusts the anchors; `verifyAnchors` in libs/audit verifies them.
 */
export function verifyChain(pool: pg.Pool, options: VerifyChainOptions = {}): Promise<ChainReport> {
  return runInSnapshot(pool, (client) => verify(client, options));
}

async function verify(client: pg.PoolClient, options: VerifyChainOptions): Promise<ChainReport> {
  const { signal, onProgress, onProblem, progressEvery = EVENTS_PER_PROGRESS } = options;
  signal?.throwIfAborted();
  const problems: ChainProblem[] = [];
  let problemCount = 0;
  const report = (problem: ChainProblem): void => {
    problemCount += 1;
    if (problems.length < MAX_PROBLEMS_KEPT) problems.push(problem);
    onProblem?.(problem);
  };
  const lastAnchor = await readLastAnchor(client);
  const pass = new ChainPass({
    lastAnchor,
    correlationId: options.correlationId,
    progressEvery,
    onProgress: () => {
      signal?.throwIfAborted();
      onProgress?.({ events: pass.events, streams: pass.streams, problems: pass.faultyStreams.length });
    },
  });
  await pass.run(client);
  const archives = await readArchivesOfStreams(client, options.correlationId);
  let coldEvents = 0;
  // The head of a stream in cold storage has no event, so the pass finds each of them.
  for (const streamId of pass.faultyStreams) {
    signal?.throwIfAborted();
    const evidence = await readEvidence(client, streamId, lastAnchor);
    const archive = archives.get(streamId);
    if (archive !== undefined) {
      const found = await verifyColdStream(client, options.cold, evidence, archive);
      coldEvents += found.events;
      for (const problem of found.problems) report(problem);
      continue;
    }
    const found = diagnoseStream(evidence);
    // The pass and the diagnosis are independent implementations. If only the pass finds a fault, report it anyway, and continue with
    // the other streams.
    if (found.length === 0) found.push(unexplainedProblem(streamId));
    for (const problem of found) report(problem);
  }
  const events = pass.events + coldEvents;
  onProgress?.({ events, streams: pass.streams, problems: problemCount });
  return { events, coldEvents, streams: pass.streams, problems, problemCount };
}

/** The problem of a faulty stream without a diagnosis, for example if a row is stored twice and one copy is valid. */
function unexplainedProblem(streamId: StreamId): ChainProblem {
  const detail =
    'the rows of the stream contradict each other: some are stored twice, or this is a defect of the verification (verify an export made with phaseline audit export, which uses another implementation)';
  return { kind: 'head-mismatch', streamId, version: 0, detail };
}
