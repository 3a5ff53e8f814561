import { decodeJobEvent, decodePhaseEvent, jobStream, parseStreamName, type PhaseState } from '@phaseline/domain';
import type { EventLog, RecordedEvent } from '@phaseline/event-store';
import { LineageBroken } from '@phaseline/history';
import type { Snapshot, Snapshots } from '../snapshot/snapshots.js';
import { foldJobOutline, foldPhaseOutline, type JobOutline } from './outline.js';

/**
 * A stream that goes on for this many events gets a snapshot. Reading, checking and folding as many takes some 20 ms; a
 * snapshot takes about as much room as ten events.
 */
export const SNAPSHOT_EVERY = 500;

/** Events read at once. */
const PAGE = 1_000;

/** How one kind of stream is folded. */
interface Folding<State> {
  readonly fold: (events: readonly RecordedEvent[], from: State | undefined) => State | undefined;
  /** The state of the parent that a fork's first event goes on from; `undefined` for the first event of anything else. */
  readonly base: (first: RecordedEvent) => Promise<State | undefined>;
}

/**
 * Folds streams up to any version: from the snapshot before it, where there is one. What it folds on the way through a long
 * stream it keeps as snapshots.
 */
export class StreamFolds {
  constructor(
    private readonly store: Pick<EventLog, 'read' | 'readAt'>,
    /** Without any, every fold starts at the first event. */
    private readonly snapshots?: Snapshots,
    private readonly every = SNAPSHOT_EVERY,
  ) {}

  /** A job as its stream tells it up to a version; `undefined` when there is no such stream. */
  job(jobId: string, version: number): Promise<JobOutline | undefined> {
    return this.to(jobStream(jobId), version, this.jobs);
  }

  /** A phase up to a version, without its conversation. */
  phase(streamId: string, version: number): Promise<PhaseState | undefined> {
    return this.to(streamId, version, this.phases);
  }

  /** Keeps the snapshots of a stream that are missing up to a version, that version included. Returns how many were kept. */
  async snapshot(streamId: string, version: number): Promise<number> {
    const name = parseStreamName(streamId);
    if (!name || !this.snapshots) return 0;
    const kept: Snapshot[] = [];
    if (name.kind === 'job') await this.to(streamId, version, this.jobs, { kept, last: true });
    else await this.to(streamId, version, this.phases, { kept, last: true });
    return kept.length;
  }

  private readonly jobs: Folding<JobOutline> = {
    fold: (events, from) => foldJobOutline(events.map(decodeJobEvent), from),
    base: async (first) => {
      const event = first.type === 'JobForked' ? decodeJobEvent(first) : undefined;
      if (event?.type !== 'JobForked') return undefined;
      const { jobId, version, hash } = event.data.parent;
      await this.prove(first.streamId, jobStream(jobId), version, hash);
      return this.job(jobId, version);
    },
  };

  private readonly phases: Folding<PhaseState> = {
    fold: (events, from) => foldPhaseOutline(events.map(decodePhaseEvent), from),
    base: async (first) => {
      const event = first.type === 'PhaseForked' ? decodePhaseEvent(first) : undefined;
      if (event?.type !== 'PhaseForked') return undefined;
      const { streamId, version, hash } = event.data.parent;
      await this.prove(first.streamId, streamId, version, hash);
      return this.phase(streamId, version);
    },
  };

  private async to<State>(
    streamId: string,
    version: number,
    { fold, base }: Folding<State>,
    { kept = [], last = false }: { kept?: Snapshot[]; last?: boolean } = {},
  ): Promise<State | undefined> {
    const snapshot = await this.snapshots?.latest(streamId, version);
    let state = snapshot?.state as State | undefined;
    let head: Snapshot | undefined;
    for (let done = snapshot?.version ?? 0; done < version;) {
      // Pages end where snapshots are taken, so that every reader takes the same ones.
      const end = Math.min(version, done + PAGE, (Math.floor(done / this.every) + 1) * this.every);
      const events = await this.store.read(streamId, { from: done + 1, to: end });
      const [first] = events;
      if (!first) break;
      state = fold(events, state ?? (await base(first)));
      const { version: reached, hash } = events.at(-1)!;
      head = { streamId, version: reached, hash, state };
      if (reached % this.every === 0) kept.push(head);
      done = reached;
    }
    if (last && head && kept.at(-1) !== head) kept.push(head);
    // Not waited for where somebody only reads, and no harm is done when it fails: the next reader folds again.
    const keeping = this.snapshots?.keep(kept);
    if (last) await keeping;
    else keeping?.catch(() => undefined);
    return state;
  }

  private async prove(streamId: string, parentStreamId: string, version: number, hash: string): Promise<void> {
    const event = await this.store.readAt(parentStreamId, version);
    if (event?.hash !== hash) throw new LineageBroken(streamId, parentStreamId, version);
  }
}
