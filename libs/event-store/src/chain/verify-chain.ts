import type pg from 'pg';
import { mapDatabaseError } from '../database/database-errors.js';
import { ChainPass } from './chain-pass.js';
import type { ChainProblem } from './chain-problem.js';
import { diagnoseStream } from './diagnose-stream.js';
import { lastSealOf, readEvidence } from './read-evidence.js';

export interface VerifyChainOptions {
  /** Only the streams of one correlation (one job); default: all. */
  readonly correlationId?: string;
  /** Called every `progressEvery` events and at the end. */
  readonly onProgress?: (progress: {
    readonly events: number;
    readonly streams: number;
    readonly problems: number;
  }) => void;
  /** Default 5,000. */
  readonly progressEvery?: number;
  readonly onProblem?: (problem: ChainProblem) => void;
  /** Ends it early, with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface ChainReport {
  readonly events: number;
  readonly streams: number;
  /** The first 1,000; `problemCount` counts all. */
  readonly problems: readonly ChainProblem[];
  readonly problemCount: number;
}

const PROGRESS_EVERY = 5_000;
const MOST_PROBLEMS_KEPT = 1_000;

/**
 * Recomputes the hash of every event from the stored bytes, and compares: each hash with the stored one, the versions of each
 * stream with 1, 2, 3, …, the last event with the row in `streams`, and what each seal says of a stream with the event at that
 * version. All within one snapshot, so appends that go on meanwhile do not disturb it, and it does not disturb them. One
 * connection of the pool is used, and constant memory: the log comes in one pass in the order of its key.
 *
 * The seals are taken at their word; whether they are genuine is checked by `verifySeals` in libs/audit.
 */
export async function verifyChain(pool: pg.Pool, options: VerifyChainOptions = {}): Promise<ChainReport> {
  let client: pg.PoolClient | undefined;
  try {
    client = await pool.connect();
    // Without an id of its own (READ ONLY), the transaction does not hold back the tails of the log.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const report = await verify(client, options);
    await client.query('ROLLBACK');
    client.release();
    return report;
  } catch (error) {
    // It may be in the middle of a result that nobody will read.
    client?.release(true);
    throw mapDatabaseError(error);
  }
}

async function verify(client: pg.PoolClient, options: VerifyChainOptions): Promise<ChainReport> {
  const { signal, onProgress, onProblem, progressEvery = PROGRESS_EVERY } = options;
  signal?.throwIfAborted();
  const problems: ChainProblem[] = [];
  let problemCount = 0;
  const lastSeal = await lastSealOf(client);
  const pass = new ChainPass({
    lastSeal,
    correlationId: options.correlationId,
    progressEvery,
    onProgress: () => {
      signal?.throwIfAborted();
      onProgress?.({ events: pass.events, streams: pass.streams, problems: pass.faulty.length });
    },
  });
  await pass.run(client);
  for (const streamId of pass.faulty) {
    signal?.throwIfAborted();
    const found = diagnoseStream(await readEvidence(client, streamId, lastSeal));
    // Both hash, each in its own way. To hold back what only one of them sees would be to call a log sound that is not, and to stop
    // here would hide what is wrong with other streams.
    if (found.length === 0) found.push(contradiction(streamId));
    for (const problem of found) {
      problemCount += 1;
      if (problems.length < MOST_PROBLEMS_KEPT) problems.push(problem);
      onProblem?.(problem);
    }
  }
  onProgress?.({ events: pass.events, streams: pass.streams, problems: problemCount });
  return { events: pass.events, streams: pass.streams, problems, problemCount };
}

/** A row that is stored twice, of which one fits: neither an event nor a head can be named as the wrong one. */
function contradiction(streamId: string): ChainProblem {
  const detail =
    'the rows about it contradict each other: some are stored twice, or this is a defect of the verification (phaseline audit export has another one)';
  return { kind: 'head-mismatch', streamId, version: 0, detail };
}
