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
import type { BlobWrite, EventContent, EventLog, NewEvent, StreamAppend } from '@phaseline/event-store';
import { withholdContent } from './content-withheld.js';
import { foldPhaseOutline } from './fold/outline.js';
import { DailyBudgets } from './daily-budgets.js';
import { Lineage } from './lineage.js';
import { buildNewEvent, type EventOrigin, type EncodedEvent } from './new-event.js';
import { PhaseCache } from './phase-cache.js';
import { readPages } from './read-pages.js';
import { Recordings } from './recordings.js';
import { wrapFoldErrors } from './unreadable.js';

export interface PhaseAppendOptions {
  readonly origin: EventOrigin;
  readonly blobs?: readonly BlobWrite[];
  /** Ids of events whose repetition must be recognised, by index in the list. */
  readonly eventIds?: Readonly<Record<number, EventId>>;
  /** Origins of events that another process decided, by index in the list. */
  readonly origins?: Readonly<Record<number, EventOrigin>>;
}

export interface JobRepositoryOptions {
  /** Event definitions used for reading; those of this release, except in specs that act as another release. */
  readonly reading?: EventCatalogues;
  /** Called with the new state of a phase and the events that this repository appended to it. */
  readonly onAppended?: (state: PhaseState, events: readonly PhaseEvent[]) => void;
  /** Budgets of people for a day; those in the log if absent. */
  readonly budgets?: DailyBudgets;
  /** Whether phases are loaded without their conversation and ended calls (`foldPhaseOutline`), so that they stay small; default false. */
  readonly loadsOutlines?: boolean;
}

/** The states that were used last, by the name of their stream. */
interface StateCache<State> {
  get(streamId: StreamId): State | undefined;
  set(streamId: StreamId, state: State): void;
}

/** How the state of one kind of stream is built from its events. */
interface StreamReading<Event, State> {
  readonly decode: (event: EventContent) => Event;
  /** Loads the state from which a stream continues that begins with this event; undefined unless it is a fork. */
  readonly loadBase: (first: EventContent) => Promise<State | undefined>;
  readonly fold: (events: readonly Event[], from: State | undefined) => State | undefined;
}

/** Number of jobs whose states are cached. */
const MAX_CACHED_JOBS = 256;

/**
 * Loads jobs and phases by folding their streams, and appends their events. Folds are cached: a later load reads only newer
 * events, in one short round trip. A fork is folded on top of the events that it shares with its parent.
 */
export class JobRepository {
  private readonly phases = new PhaseCache();
  private readonly jobs = new LRUCache<string, JobState>({ max: MAX_CACHED_JOBS });

  /** Recorded phases that forks replay. */
  readonly recordings: Recordings;
  /** Budgets of people for a day. */
  readonly budgets: DailyBudgets;
  private readonly lineage: Lineage;

  private readonly reading: EventCatalogues;
  private readonly onAppended: NonNullable<JobRepositoryOptions['onAppended']>;
  private readonly loadsOutlines: boolean;

  constructor(
    private readonly store: EventLog,
    { reading = currentCatalogues, onAppended = () => {}, loadsOutlines = false, budgets }: JobRepositoryOptions = {},
  ) {
    this.reading = reading;
    this.onAppended = onAppended;
    this.loadsOutlines = loadsOutlines;
    this.lineage = new Lineage(store);
    this.recordings = new Recordings(store);
    this.budgets = budgets ?? new DailyBudgets(store);
  }

  /** Loads the current state of a phase; `undefined` if it has not started. */
  async loadPhase(jobId: JobId, phase: number): Promise<PhaseState | undefined> {
    return this.loadState<PhaseEvent, PhaseState>(this.phases, jobId, phaseStream(jobId, phase), {
      decode: (event) => this.reading.phase.decode(event) as PhaseEvent,
      loadBase: (first) => this.lineage.loadPhaseBase(first),
      fold: (events, from) => this.foldPhaseEvents(events, from),
    });
  }

  /**
   * Returns a state of a phase that contains its events up to `version`, without reading the log: from a state that this process has used,
   * and `events`, those before `version`, which another process read or appended. Returns `undefined` if the two do not meet, or if this
   * release cannot read one of the events. Newer events may be missing, so what is decided on the state has to be appended with its version.
   */
  advancePhase(jobId: JobId, phase: number, version: number, events: readonly EncodedEvent[]): PhaseState | undefined {
    const streamId = phaseStream(jobId, phase);
    const cached = this.phases.get(streamId);
    if (!cached || cached.version >= version) return cached;
    const missing = version - cached.version;
    if (missing > events.length) return undefined;
    const first = cached.version + 1;
    try {
      const newer = events
        .slice(-missing)
        .map((event, index) => this.reading.phase.decode({ ...event, streamId, version: first + index }) as PhaseEvent);
      const state = this.foldPhaseEvents(newer, cached)!;
      this.phases.set(streamId, state);
      return state;
    } catch {
      // Events of a newer release. Reading the log says which.
      return undefined;
    }
  }

  /** Loads the current state of a job; `undefined` if it does not exist. */
  async loadJob(jobId: JobId): Promise<JobState | undefined> {
    return this.loadState<JobEvent, JobState>(this.jobs, jobId, jobStream(jobId), {
      decode: (event) => this.reading.job.decode(event) as JobEvent,
      loadBase: (first) => this.lineage.loadJobBase(first),
      fold: foldJob,
    });
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
    const next = this.foldPhaseEvents(events, state)!;
    if (next.end || isEncryptedJob(jobId)) this.phases.delete(append.streamId);
    else this.phases.set(append.streamId, next);
    this.onAppended(next, events);
    return next;
  }

  /** Folds the events that are newer than the cached state, a page at a time. */
  private async loadState<Event, State extends { readonly version: number }>(
    cache: StateCache<State>,
    jobId: JobId,
    streamId: StreamId,
    { decode, loadBase, fold }: StreamReading<Event, State>,
  ): Promise<State | undefined> {
    const cached = cache.get(streamId);
    let state = cached;
    for await (const page of readPages(this.store, streamId, { from: (cached?.version ?? 0) + 1 }))
      state = await withholdContent(jobId, async () => {
        const events = page.map(decode);
        const from = state ?? (await loadBase(page[0]!));
        return wrapFoldErrors(streamId, () => fold(events, from));
      });
    // Encrypted jobs are never cached: after an erasure, no copy may remain in memory.
    if (state && state !== cached && !isEncryptedJob(jobId)) cache.set(streamId, state);
    return state;
  }

  private foldPhaseEvents(events: readonly PhaseEvent[], from: PhaseState | undefined): PhaseState | undefined {
    // An outline is small, however many events it contains.
    if (this.loadsOutlines) return foldPhaseOutline(events, from);
    const state = foldPhase(events, from);
    if (state) this.phases.noteSize(state, from, events);
    return state;
  }
}

/** Builds the `EventStore.append` request for events of a phase. `version` is the expected version of the stream, or `any`. */
export function buildPhaseAppend(
  jobId: JobId,
  phase: number,
  version: number | 'any',
  events: readonly PhaseEvent[],
  options: Pick<PhaseAppendOptions, 'origin' | 'eventIds' | 'origins'>,
): StreamAppend {
  const ends = isEnd(phaseEndTypes, events);
  return {
    streamId: phaseStream(jobId, phase),
    correlationId: jobId,
    expectedVersion: version,
    events: events.map((event, index) =>
      buildNewEvent(event, options.origins?.[index] ?? options.origin, options.eventIds?.[index]),
    ),
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
