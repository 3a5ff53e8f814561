import type { EventId, JobId, StreamId } from '@phaseline/contracts';
import { LRUCache } from 'lru-cache';
import {
  ALLOWED_AFTER_END,
  foldJob,
  foldPhase,
  isEncryptedJob,
  jobEndTypes,
  jobStream,
  phaseEndTypes,
  phaseStream,
  currentCatalogues,
  type EventCatalogues,
  type JobEvent,
  type JobState,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import type { BlobWrite, EventLog, NewEvent, RecordedEvent, StreamAppend } from '@phaseline/event-store';
import { withholdContent } from './content-withheld.js';
import { Lineage } from './lineage.js';
import { buildNewEvent, type EventOrigin } from './new-event.js';
import { Recordings } from './recordings.js';
import { wrapFoldErrors } from './unreadable.js';

export interface PhaseAppendOptions {
  readonly origin: EventOrigin;
  readonly blobs?: readonly BlobWrite[];
  /** Ids of events whose repetition must be recognised, by index in the list. */
  readonly eventIds?: Readonly<Record<number, EventId>>;
}

/** Number of streams whose folds are cached. The fold of a long phase takes a few hundred kilobytes. */
const MAX_CACHED_FOLDS = 256;

/**
 * Loads jobs and phases by folding their streams, and appends their events. Folds are cached: a later load reads only newer
 * events, in one short round trip. A fork is folded on top of the events that it shares with its parent.
 */
export class JobRepository {
  private readonly phases = new LRUCache<string, PhaseState>({ max: MAX_CACHED_FOLDS });
  private readonly jobs = new LRUCache<string, JobState>({ max: MAX_CACHED_FOLDS });

  /** Recorded phases that forks replay. */
  readonly recordings: Recordings;
  private readonly lineage: Lineage;

  constructor(
    private readonly store: EventLog,
    /** Event definitions used for reading; those of this release, except in specs that act as another release. */
    private readonly reading: EventCatalogues = currentCatalogues,
    /** Called with the new state of a phase and the events that this repository appended to it. */
    private readonly onAppended: (state: PhaseState, events: readonly PhaseEvent[]) => void = () => {},
  ) {
    this.lineage = new Lineage(store);
    this.recordings = new Recordings(store);
  }

  /** Loads the current state of a phase; `undefined` if it has not started. */
  async loadPhase(jobId: JobId, phase: number): Promise<PhaseState | undefined> {
    const streamId = phaseStream(jobId, phase);
    return this.loadState(this.phases, jobId, streamId, async (events, from) =>
      foldStream(
        streamId,
        foldPhase,
        events.map((event) => this.reading.phase.decode(event) as PhaseEvent),
        from ?? (await this.lineage.loadPhaseBase(events[0])),
      ),
    );
  }

  /** Loads the current state of a job; `undefined` if it does not exist. */
  async loadJob(jobId: JobId): Promise<JobState | undefined> {
    const streamId = jobStream(jobId);
    return this.loadState(this.jobs, jobId, streamId, async (events, from) =>
      foldStream(
        streamId,
        foldJob,
        events.map((event) => this.reading.job.decode(event) as JobEvent),
        from ?? (await this.lineage.loadJobBase(events[0])),
      ),
    );
  }

  /**
   * Appends events to a phase in state `state` and returns the new state. If the last event ends the phase, the stream is
   * closed and the orchestrator is woken. Throws WrongExpectedVersion if another process appended first.
   */
  async appendToPhase(
    state: PhaseState,
    events: readonly PhaseEvent[],
    options: PhaseAppendOptions,
  ): Promise<PhaseState> {
    const { jobId, phase } = state.start.identity;
    const append = buildPhaseAppend(jobId, phase, state.version, events, options);
    try {
      const results = await this.store.append(append, options.blobs ? { blobs: [...options.blobs] } : {});
      if (results.some(({ alreadyDone }) => alreadyDone)) {
        // Another process recorded the event, perhaps with other data and after other events, so the log has to be read.
        this.phases.delete(append.streamId);
        return (await this.loadPhase(jobId, phase))!;
      }
    } catch (error) {
      this.phases.delete(append.streamId);
      throw error;
    }
    const next = foldPhase(events, state)!;
    if (next.end || isEncryptedJob(jobId)) this.phases.delete(append.streamId);
    else this.phases.set(append.streamId, next);
    this.onAppended(next, events);
    return next;
  }

  private async loadState<State extends { readonly version: number }>(
    folds: LRUCache<string, State>,
    jobId: JobId,
    streamId: StreamId,
    fold: (events: readonly RecordedEvent[], from: State | undefined) => Promise<State | undefined>,
  ): Promise<State | undefined> {
    const cached = folds.get(streamId);
    const events = await this.store.read(streamId, { from: (cached?.version ?? 0) + 1 });
    if (events.length === 0) return cached;
    const state = await withholdContent(jobId, () => fold(events, cached));
    // Encrypted jobs are never cached: after an erasure, no copy may remain in memory.
    if (state && !isEncryptedJob(jobId)) folds.set(streamId, state);
    return state;
  }
}

/** Builds the `EventStore.append` request for events of a phase. `version` is the expected version of the stream, or `any`. */
export function buildPhaseAppend(
  jobId: JobId,
  phase: number,
  version: number | 'any',
  events: readonly PhaseEvent[],
  options: Pick<PhaseAppendOptions, 'origin' | 'eventIds'>,
): StreamAppend {
  const ends = isEnd(phaseEndTypes, events);
  return {
    streamId: phaseStream(jobId, phase),
    correlationId: jobId,
    expectedVersion: version,
    events: events.map((event, index) => buildNewEvent(event, options.origin, options.eventIds?.[index])),
    ...(ends ? { closesStream: true, wake: true } : {}),
  };
}

/** Types that may be appended to a stream that has ended. */
const REOPENING_TYPES: ReadonlySet<string> = new Set(Object.values(ALLOWED_AFTER_END).flat());

/** Builds the `EventStore.append` request for events of a job. Every change of a job wakes the orchestrator. */
export function buildJobAppend(
  jobId: JobId,
  version: number,
  events: readonly JobEvent[],
  origin: EventOrigin,
  eventIds?: PhaseAppendOptions['eventIds'],
): StreamAppend {
  const list: NewEvent[] = events.map((event, index) => buildNewEvent(event, origin, eventIds?.[index]));
  const ends = isEnd([...jobEndTypes, 'JobErased'], events);
  return {
    streamId: jobStream(jobId),
    correlationId: jobId,
    expectedVersion: version,
    events: list,
    wake: true,
    ...(ends ? { closesStream: true } : {}),
    ...(events.some(({ type }) => REOPENING_TYPES.has(type)) ? { reopensStream: true } : {}),
  };
}

function isEnd(endTypes: readonly string[], events: readonly { readonly type: string }[]): boolean {
  const last = events.at(-1);
  return last !== undefined && endTypes.includes(last.type);
}

function foldStream<Event, State>(
  streamId: StreamId,
  foldEvents: (events: readonly Event[], from: State | undefined) => State | undefined,
  events: readonly Event[],
  from: State | undefined,
): State | undefined {
  return wrapFoldErrors(streamId, () => foldEvents(events, from));
}
