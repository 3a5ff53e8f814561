import { isDeepStrictEqual } from 'node:util';
import { parseStreamName } from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import { StreamFolds } from '../fold/stream-folds.js';
import type { Snapshots, SnapshotSample } from './snapshots.js';

/** A snapshot that is not what its stream folds to. */
export interface SnapshotProblem {
  readonly streamId: string;
  readonly version: number;
  readonly kind: 'differs' | 'no-such-event';
}

export interface SnapshotReport {
  readonly checked: number;
  /** Those of other releases, which this one neither reads nor can fold. */
  readonly skipped: number;
  readonly problems: readonly SnapshotProblem[];
}

export interface CheckSnapshotsOptions {
  /** Only those of one job. */
  readonly jobId?: string | undefined;
  /** Only some, drawn anew each time, so that looking again and again looks at all. */
  readonly sample?: SnapshotSample | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Folds the stream of every snapshot, or of some, again from its first event and compares. Snapshots of other releases are
 * only counted.
 */
export async function checkSnapshots(
  store: Pick<EventLog, 'read' | 'readAt'>,
  snapshots: Snapshots,
  { jobId, sample, signal }: CheckSnapshotsOptions = {},
): Promise<SnapshotReport> {
  const folds = new StreamFolds(store);
  const problems: SnapshotProblem[] = [];
  let checked = 0;
  for await (const { streamId, version, hash, state } of sample ? snapshots.some(sample) : snapshots.all(jobId)) {
    signal?.throwIfAborted();
    checked += 1;
    const name = parseStreamName(streamId);
    const event = await store.readAt(streamId, version);
    if (!name || event?.hash !== hash) {
      problems.push({ streamId, version, kind: 'no-such-event' });
      continue;
    }
    const folded = name.kind === 'job' ? await folds.job(name.jobId, version) : await folds.phase(streamId, version);
    if (!isDeepStrictEqual(asStored(folded), state)) problems.push({ streamId, version, kind: 'differs' });
  }
  return { checked, skipped: await snapshots.countOthers(jobId), problems };
}

/** As JSON gives it back: members without a value are not there. */
function asStored(state: unknown): unknown {
  return JSON.parse(JSON.stringify(state)) as unknown;
}
