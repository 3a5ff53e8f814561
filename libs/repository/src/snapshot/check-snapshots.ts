import { isDeepStrictEqual } from 'node:util';
import type { JobId, StreamId } from '@phaseline/contracts';
import { parseStreamName } from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import { StreamFolds } from '../fold/stream-folds.js';
import type { Snapshots, SnapshotSample } from './snapshots.js';

/** A snapshot that differs from the fold of its stream. */
interface SnapshotProblem {
  readonly streamId: StreamId;
  readonly version: number;
  readonly kind: 'differs' | 'no-such-event';
}

export interface SnapshotReport {
  readonly checked: number;
  /** Number of snapshots of other releases, which this one can neither read nor fold. */
  readonly skipped: number;
  readonly problems: readonly SnapshotProblem[];
}

export interface CheckSnapshotsOptions {
  /** Checks only the snapshots of one job. */
  readonly jobId?: JobId | undefined;
  /** Checks only a random sample, drawn each time, so that repeated checks cover all snapshots over time. */
  readonly sample?: SnapshotSample | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Folds the streams of all snapshots, or of a sample, from the first event and compares the results. Snapshots of other
 * releases are only counted.
 */
export async function checkSnapshots(
  store: Pick<EventLog, 'read' | 'readAt'>,
  snapshots: Snapshots,
  { jobId, sample, signal }: CheckSnapshotsOptions = {},
): Promise<SnapshotReport> {
  const folds = new StreamFolds(store);
  const problems: SnapshotProblem[] = [];
  let checked = 0;
  for await (const { streamId, version, hash, state } of sample
    ? snapshots.iterateSample(sample)
    : snapshots.iterateAll(jobId)) {
    signal?.throwIfAborted();
    checked += 1;
    const name = parseStreamName(streamId);
    const event = await store.readAt(streamId, version);
    if (!name || event?.hash !== hash) {
      problems.push({ streamId, version, kind: 'no-such-event' });
      continue;
    }
    const folded =
      name.kind === 'job' ? await folds.foldJob(name.jobId, version) : await folds.foldPhase(streamId, version);
    if (!isDeepStrictEqual(asStored(folded), state)) problems.push({ streamId, version, kind: 'differs' });
  }
  return { checked, skipped: await snapshots.countOthers(jobId), problems };
}

/** Converts a state to what JSON preserves: members with the value undefined are removed. */
function asStored(state: unknown): unknown {
  return JSON.parse(JSON.stringify(state)) as unknown;
}
