import {
  foldJob,
  foldPhase,
  isSealedJob,
  jobEndTypes,
  jobStream,
  phaseEndTypes,
  phaseStream,
  todaysEvents,
  type EventReading,
  type JobEvent,
  type JobState,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import type { BlobWrite, EventLog, NewEvent, RecordedEvent, StreamAppend } from '@phaseline/event-store';
import { withholdingContent } from './content-withheld.js';
import { Lineage } from './lineage.js';
import { newEvent, type EventOrigin } from './new-event.js';
import { RecentFolds } from './recent-folds.js';
import { Recordings } from './recordings.js';
import { folding } from './unreadable.js';

export interface PhaseAppendOptions {
  readonly origin: EventOrigin;
  readonly blobs?: readonly BlobWrite[];
  /** Ids for events whose repetition must be recognised, by their place in the list. */
  readonly eventIds?: Readonly<Record<number, string>>;
}

/** Folds of this many streams are kept; one of a long phase takes some hundred kilobytes. */
const KEPT_FOLDS = 256;

/**
 * Reads jobs and phases out of the log and writes their events. A kept fold is brought up to date by reading only what
 * came after it, so asking again costs one short round trip. A fork is folded on top of what it shares with its parent.
 */
export class Histories {
  private readonly phases = new RecentFolds<PhaseState>(KEPT_FOLDS);
  private readonly jobs = new RecentFolds<JobState>(KEPT_FOLDS);

  /** What forks take from the job that they forked. */
  readonly recordings: Recordings;
  private readonly lineage: Lineage;

  constructor(
    private readonly store: EventLog,
    /** What the events are read by; today's, except where a spec stands in for another release. */
    private readonly reading: EventReading = todaysEvents,
  ) {
    this.lineage = new Lineage(store);
    this.recordings = new Recordings(store);
  }

  /** The phase as the log has it now; `undefined` when it has not started. */
  async phase(jobId: string, phase: number): Promise<PhaseState | undefined> {
    const streamId = phaseStream(jobId, phase);
    return this.current(this.phases, jobId, streamId, async (events, from) =>
      fold(
        streamId,
        foldPhase,
        events.map((event) => this.reading.phase.decode(event) as PhaseEvent),
        from ?? (await this.lineage.phaseBase(events[0])),
      ),
    );
  }

  /** The job as the log has it now; `undefined` when there is none. */
  async job(jobId: string): Promise<JobState | undefined> {
    const streamId = jobStream(jobId);
    return this.current(this.jobs, jobId, streamId, async (events, from) =>
      fold(
        streamId,
        foldJob,
        events.map((event) => this.reading.job.decode(event) as JobEvent),
        from ?? (await this.lineage.jobBase(events[0])),
      ),
    );
  }

  /**
   * Appends to a phase that stands as `state` says and returns it with the events folded in. The stream is closed and
   * the orchestrator woken when the last event ends the phase. Throws WrongExpectedVersion when somebody else was first.
   */
  async appendToPhase(
    state: PhaseState,
    events: readonly PhaseEvent[],
    options: PhaseAppendOptions,
  ): Promise<PhaseState> {
    const { jobId, phase } = state.start;
    const append = phaseAppend(jobId, phase, state.version, events, options);
    try {
      const results = await this.store.append(append, options.blobs ? { blobs: [...options.blobs] } : {});
      if (results.some(({ alreadyDone }) => alreadyDone)) {
        // Somebody else recorded it, perhaps with another content and behind other events: only the log knows.
        this.phases.delete(append.streamId);
        return (await this.phase(jobId, phase))!;
      }
    } catch (error) {
      this.phases.delete(append.streamId);
      throw error;
    }
    const next = foldPhase(events, state)!;
    if (next.end || isSealedJob(jobId)) this.phases.delete(append.streamId);
    else this.phases.set(append.streamId, next);
    return next;
  }

  private async current<State extends { readonly version: number }>(
    folds: RecentFolds<State>,
    jobId: string,
    streamId: string,
    fold: (events: readonly RecordedEvent[], from: State | undefined) => Promise<State | undefined>,
  ): Promise<State | undefined> {
    const kept = folds.get(streamId);
    const events = await this.store.read(streamId, { from: (kept?.version ?? 0) + 1 });
    if (events.length === 0) return kept;
    const state = await withholdingContent(jobId, () => fold(events, kept));
    // Of a sealed job nothing is kept: once it was erased, no memory may hold what it was.
    if (state && !isSealedJob(jobId)) folds.set(streamId, state);
    return state;
  }
}

/** What `EventStore.append` takes for events of a phase. `version` is the version they are appended behind; `any` for what fits anywhere. */
export function phaseAppend(
  jobId: string,
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
    events: events.map((event, index) => newEvent(event, options.origin, options.eventIds?.[index])),
    ...(ends ? { closesStream: true, wake: true } : {}),
  };
}

/** What `EventStore.append` takes for events of a job. Every change of a job wakes the orchestrator. */
export function jobAppend(
  jobId: string,
  version: number,
  events: readonly JobEvent[],
  origin: EventOrigin,
  eventIds?: PhaseAppendOptions['eventIds'],
): StreamAppend {
  const list: NewEvent[] = events.map((event, index) => newEvent(event, origin, eventIds?.[index]));
  const ends = isEnd([...jobEndTypes, 'JobErased'], events);
  return {
    streamId: jobStream(jobId),
    correlationId: jobId,
    expectedVersion: version,
    events: list,
    wake: true,
    ...(ends ? { closesStream: true } : {}),
    ...(events.some(({ type }) => type === 'JobRetried' || type === 'JobErased') ? { reopensStream: true } : {}),
  };
}

function isEnd(endTypes: readonly string[], events: readonly { readonly type: string }[]): boolean {
  const last = events.at(-1);
  return last !== undefined && endTypes.includes(last.type);
}

function fold<Event, State>(
  streamId: string,
  foldEvents: (events: readonly Event[], from: State | undefined) => State | undefined,
  events: readonly Event[],
  from: State | undefined,
): State | undefined {
  return folding(streamId, () => foldEvents(events, from));
}
