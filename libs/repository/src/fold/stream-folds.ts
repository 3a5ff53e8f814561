import type { JobId, StreamId } from '@phaseline/contracts';
import { decodeJobEvent, decodePhaseEvent, jobStream, parseStreamName, type PhaseState } from '@phaseline/domain';
import type { EventLog, RecordedEvent } from '@phaseline/event-store';
import { LineageBroken } from '../lineage-broken.js';
import { PAGE_EVENTS } from '../read-pages.js';
import { PendingSnapshots } from '../snapshot/pending-snapshots.js';
import type { Snapshot, Snapshots } from '../snapshot/snapshots.js';
import { foldJobOutline, foldPhaseOutline, type JobOutline } from './outline.js';

/**
 * Number of events after which an open stream gets a snapshot. Reading, checking and folding this many takes about 20
 * ms; a snapshot takes about as much space as ten events.
 */
export const EVENTS_PER_SNAPSHOT = 500;

/** How one kind of stream is folded. */
interface Folding<State> {
  readonly fold: (events: readonly RecordedEvent[], from: State | undefined) => State | undefined;
  /**
   * Returns the parent's state that the first event of a fork continues from; `undefined` for any other first event.
   */
  readonly base: (first: RecordedEvent) => Promise<State | undefined>;
}

/**
 * Folds streams up to any version, starting from the latest snapshot before it. Stores snapshots of long streams on the
 * way.
 */
export class StreamFolds {
  constructor(
    private readonly store: Pick<EventLog, 'read' | 'readAt'>,
    /** Snapshots to start from. Without them, every fold starts at the first event. */
    private readonly snapshots?: Snapshots,
    private readonly every = EVENTS_PER_SNAPSHOT,
  ) {}

  /** Returns a job as of a version of its stream; `undefined` when there is no such stream. */
  foldJob(jobId: JobId, version: number): Promise<JobOutline | undefined> {
    return this.foldTo(jobStream(jobId), version, this.jobs);
  }

  /** Returns a phase as of a version of its stream, without its conversation. */
  foldPhase(streamId: StreamId, version: number): Promise<PhaseState | undefined> {
    return this.foldTo(streamId, version, this.phases);
  }

  /** Stores the missing snapshots of a stream up to and including a version. Returns how many were stored. */
  async storeSnapshots(streamId: StreamId, version: number): Promise<number> {
    const name = parseStreamName(streamId);
    if (!name || !this.snapshots) return 0;
    const storing = new PendingSnapshots(this.snapshots, { mustStore: true });
    if (name.kind === 'job') await this.foldTo(streamId, version, this.jobs, storing);
    else await this.foldTo(streamId, version, this.phases, storing);
    return storing.count;
  }

  private readonly jobs: Folding<JobOutline> = {
    fold: (events, from) => foldJobOutline(events.map(decodeJobEvent), from),
    base: async (first) => {
      const event = first.type === 'JobForked' ? decodeJobEvent(first) : undefined;
      if (event?.type !== 'JobForked') return undefined;
      const { jobId, version, hash } = event.data.parent;
      await this.assertParentEvent(first.streamId, jobStream(jobId), version, hash);
      return this.foldJob(jobId, version);
    },
  };

  private readonly phases: Folding<PhaseState> = {
    fold: (events, from) => foldPhaseOutline(events.map(decodePhaseEvent), from),
    base: async (first) => {
      const event = first.type === 'PhaseForked' ? decodePhaseEvent(first) : undefined;
      if (event?.type !== 'PhaseForked') return undefined;
      const { streamId, version, hash } = event.data.parent;
      await this.assertParentEvent(first.streamId, streamId, version, hash);
      return this.foldPhase(streamId, version);
    },
  };

  private async foldTo<State>(
    streamId: StreamId,
    version: number,
    { fold, base }: Folding<State>,
    /** Receives a snapshot of the last version, too. Without it, what is missing is stored on the way. */
    storing?: PendingSnapshots,
  ): Promise<State | undefined> {
    const pending = storing ?? new PendingSnapshots(this.snapshots, { mustStore: false });
    const snapshot = await this.snapshots?.findLatest(streamId, version);
    let state = snapshot?.state as State | undefined;
    let head: Snapshot | undefined;
    for (let reachedVersion = snapshot?.version ?? 0; reachedVersion < version;) {
      // Pages end where snapshots are taken, so that all readers take the same ones.
      const end = Math.min(
        version,
        reachedVersion + PAGE_EVENTS,
        (Math.floor(reachedVersion / this.every) + 1) * this.every,
      );
      const events = await this.store.read(streamId, { from: reachedVersion + 1, to: end });
      const [first] = events;
      if (!first) break;
      state = fold(events, state ?? (await base(first)));
      const { version: reached, hash } = events.at(-1)!;
      head = { streamId, version: reached, hash, state };
      if (reached % this.every === 0) await pending.add(head);
      reachedVersion = reached;
    }
    if (storing && head && pending.last !== head) await pending.add(head);
    const saving = pending.store();
    // A reader does not wait for the last write.
    if (storing) await saving;
    return state;
  }

  private async assertParentEvent(
    streamId: StreamId,
    parentStreamId: StreamId,
    version: number,
    hash: string,
  ): Promise<void> {
    const event = await this.store.readAt(parentStreamId, version);
    if (event?.hash !== hash) throw new LineageBroken(streamId, parentStreamId, version);
  }
}
