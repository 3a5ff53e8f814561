import type { JobId, StreamId } from '@phaseline/contracts';
import {
  decodeJobEvent,
  decodePhaseEvent,
  foldJob,
  foldPhase,
  jobStream,
  parseStreamName,
  phaseStream,
  type JobState,
  type PhaseState,
} from '@phaseline/domain';
import type { EventContent, EventLog, RecordedEvent } from '@phaseline/event-store';
import { LineageBroken } from './lineage-broken.js';
import { readPages } from './read-pages.js';

/** Reads the events and states that a fork shares with its parent. A fork of a fork is read through both. */
export class Lineage {
  constructor(private readonly store: Pick<EventLog, 'read' | 'readAt' | 'iterate' | 'iteratePages'>) {}

  /** The parent state from which a job's stream continues; `undefined` unless `first` begins a fork. Throws LineageBroken. */
  async loadJobBase(first: EventContent | undefined): Promise<JobState | undefined> {
    if (first?.type !== 'JobForked') return undefined;
    const event = decodeJobEvent(first);
    if (event.type !== 'JobForked') return undefined;
    const { jobId, version, hash } = event.data.parent;
    let state: JobState | undefined;
    for await (const page of this.readShared(first.streamId, jobStream(jobId), version, hash))
      state = foldJob(page.map(decodeJobEvent), state ?? (await this.loadJobBase(page[0])));
    return state;
  }

  /** The parent state from which a phase's stream continues; `undefined` unless `first` begins a fork. Throws LineageBroken. */
  async loadPhaseBase(first: EventContent | undefined): Promise<PhaseState | undefined> {
    if (first?.type !== 'PhaseForked') return undefined;
    const event = decodePhaseEvent(first);
    if (event.type !== 'PhaseForked') return undefined;
    const { streamId, version, hash } = event.data.parent;
    let state: PhaseState | undefined;
    for await (const page of this.readShared(first.streamId, streamId, version, hash))
      state = foldPhase(page.map(decodePhaseEvent), state ?? (await this.loadPhaseBase(page[0])));
    return state;
  }

  /**
   * Iterates over the events of a phase, oldest first: those of the forked job, then its own. With `to`, only events up to
   * that log position. Yields nothing if the phase had not started.
   */
  async *iteratePhaseEvents(
    jobId: JobId,
    phase: number,
    to = Number.MAX_SAFE_INTEGER,
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    const streamId = phaseStream(jobId, phase);
    const first = await this.store.readAt(streamId, 1);
    if (!first || first.position > to) {
      const fork = await this.forkOf(jobId);
      if (fork) yield* this.iteratePhaseEvents(fork.parent, phase, Math.min(fork.position, to));
      return;
    }
    const event = first.type === 'PhaseForked' ? decodePhaseEvent(first) : undefined;
    if (event?.type === 'PhaseForked') {
      const parent = parseStreamName(event.data.parent.streamId);
      const fork = await this.forkOf(jobId);
      if (parent?.kind === 'phase' && fork) yield* this.iteratePhaseEvents(parent.jobId, parent.phase, fork.position);
    }
    for await (const recorded of this.store.iterate(streamId)) {
      if (recorded.position > to) return;
      yield recorded;
    }
  }

  private async forkOf(jobId: JobId): Promise<{ readonly parent: JobId; readonly position: number } | undefined> {
    const first = await this.store.readAt(jobStream(jobId), 1);
    const event = first?.type === 'JobForked' ? decodeJobEvent(first) : undefined;
    return event?.type === 'JobForked' ? { parent: event.data.parent.jobId, position: event.data.position } : undefined;
  }

  /** Yields the events that a fork shares with its parent, a page at a time. */
  private async *readShared(
    streamId: StreamId,
    parentStreamId: StreamId,
    version: number,
    hash: string,
  ): AsyncGenerator<readonly EventContent[], void, undefined> {
    yield* readPages(this.store, parentStreamId, { to: version });
    const last = await this.store.readAt(parentStreamId, version);
    if (last?.hash !== hash) throw new LineageBroken(streamId, parentStreamId, version);
  }
}
