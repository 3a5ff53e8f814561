import type { JobId } from '@phaseline/contracts';
import {
  foldJob,
  foldPhase,
  type JobState,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import { Lineage, Recordings } from '@phaseline/repository';
import { getJobBlobs, type BlobReader } from '@phaseline/workspace';
import type { Commit } from './commits.js';
import type { DecodedEvent } from './decoded-event.js';

/** The part of the log that is read. Nothing is appended. */
export type ReadableLog = Pick<EventLog, 'read' | 'readAt' | 'iterate' | 'iterateCorrelation' | 'blobs'>;

type ModelCallStarted = PhaseEventData<'ModelCallStarted'>;

/** The model that a call was made with: the name of its profile, its limits, and its prices unless the call is of an old version. */
export type RecordedRequest = NonNullable<ModelCallStarted['request']> & Pick<ModelCallStarted, 'model' | 'prices'>;

/** Returns the model with which a call was made; undefined for a call of an old version, which does not say. */
export function getRecordedRequest({ model, request, prices }: ModelCallStarted): RecordedRequest | undefined {
  return request && { ...request, model, ...(prices ? { prices } : {}) };
}

/** A phase and the events that were not folded into it yet. */
interface PendingPhase {
  state: PhaseState | undefined;
  events: PhaseEvent[];
}

/**
 * A recorded job as it was before the event that is examined: the states of its streams. Moves forward event by event, and folds the events of a
 * phase when its state is asked for.
 */
export class RecordedJob {
  job: JobState | undefined;
  private readonly phases = new Map<number, PendingPhase>();
  private lastRequest: RecordedRequest | undefined;
  private readonly requests = new Map<number, RecordedRequest>();
  private readonly lineage: Lineage;
  /** The recorded phases that a fork replays, each read once. */
  readonly recordings: Recordings;

  constructor(
    readonly jobId: JobId,
    readonly log: ReadableLog,
  ) {
    this.lineage = new Lineage(log);
    this.recordings = new Recordings(log);
  }

  /** The contents that the events of the job refer to. */
  get blobs(): BlobReader {
    return getJobBlobs(this.log.blobs, this.jobId);
  }

  /** The state of a phase now; undefined if it has not started. */
  getPhase(phase: number): PhaseState | undefined {
    const pending = this.phases.get(phase);
    if (pending && pending.events.length > 0) {
      pending.state = foldPhase(pending.events, pending.state);
      pending.events = [];
    }
    return pending?.state;
  }

  /** As a repository loads it, for decisions that read earlier phases. */
  async loadPhase(_jobId: JobId, phase: number): Promise<PhaseState | undefined> {
    return this.getPhase(phase);
  }

  /** The model of the last normal call of a phase, else of the job; undefined if it made none, or the log does not say. */
  getRequest(phase: number): RecordedRequest | undefined {
    return this.requests.get(phase) ?? this.lastRequest;
  }

  /** Moves behind the next commit. */
  async apply({ events }: Commit): Promise<void> {
    for (const event of events) await this.applyEvent(event);
  }

  /** Moves behind the next event. */
  async applyEvent(one: DecodedEvent): Promise<void> {
    if (one.kind === 'job') {
      this.job = foldJob([one.event], this.job ?? (await this.lineage.loadJobBase(one.recorded)));
      return;
    }
    const { phase, event, recorded } = one;
    if (recorded.version === 1)
      this.phases.set(phase, { state: await this.lineage.loadPhaseBase(recorded), events: [] });
    this.phases.get(phase)?.events.push(event);
    const request = event.type === 'ModelCallStarted' && !event.data.purpose && getRecordedRequest(event.data);
    if (!request) return;
    this.requests.set(phase, request);
    this.lastRequest = request;
  }
}
