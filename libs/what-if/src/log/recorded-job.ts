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
import type { AddedGuard } from '../redecide/added-guard.js';
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
  events: Pick<PhaseDecoded, 'event'>[];
}

type PhaseDecoded = Extract<DecodedEvent, { kind: 'phase' }>;

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
    /** A guard with which every phase begins in addition to its own. */
    private readonly added?: AddedGuard,
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
      pending.state = foldPhase(
        pending.events.map(({ event }) => event),
        pending.state,
      );
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
    for (const event of events) {
      await this.applyEvent(event);
      this.noteRequest(event);
    }
  }

  /** Moves behind the next event, without noting the model of a call. An event of a phase is decoded when the state of the phase is asked for. */
  async applyEvent(one: DecodedEvent): Promise<void> {
    if (one.kind === 'job') {
      this.job = foldJob([one.event], this.job ?? (await this.lineage.loadJobBase(one.recorded)));
      return;
    }
    if (one.recorded.version === 1) await this.startPhase(one);
    else this.phases.get(one.phase)?.events.push(one);
  }

  /** Notes the model of a normal call, for `getRequest`. */
  noteRequest(one: DecodedEvent): void {
    if (one.kind === 'job' || one.recorded.type !== 'ModelCallStarted') return;
    const { phase, event } = one;
    const request = event.type === 'ModelCallStarted' && !event.data.purpose && getRecordedRequest(event.data);
    if (!request) return;
    this.requests.set(phase, request);
    this.lastRequest = request;
  }

  /** Adds an event that is not in the log to the state of a phase. */
  insertEvent(phase: number, event: PhaseEvent): void {
    this.phases.get(phase)?.events.push({ event });
  }

  /** Forgets a phase that has ended, for a reader that needs only the phase that it reads: the state of a long one is large. */
  forgetPhase(phase: number): void {
    this.phases.delete(phase);
    this.requests.delete(phase);
  }

  private async startPhase({ phase, event, recorded }: PhaseDecoded): Promise<void> {
    const base = await this.lineage.loadPhaseBase(recorded);
    if (!this.added) {
      this.phases.set(phase, { state: base, events: [{ event }] });
      return;
    }
    const state = foldPhase([this.added.addToStart(event)], base);
    this.phases.set(phase, { state: state && this.added.addTo(state), events: [] });
  }
}
