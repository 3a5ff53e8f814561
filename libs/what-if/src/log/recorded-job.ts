import type { JobId, StreamId } from '@phaseline/contracts';
import {
  decodeJobEvent,
  decodePhaseEvent,
  foldJob,
  foldPhase,
  parseStreamName,
  type JobEvent,
  type JobState,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import type { EventLog, RecordedEvent } from '@phaseline/event-store';
import { Lineage } from '@phaseline/repository';
import { getJobBlobs, type BlobReader } from '@phaseline/workspace';

/** The part of the log that is read. Nothing is appended. */
export type ReadableLog = Pick<EventLog, 'read' | 'readAt' | 'iterate' | 'iterateCorrelation' | 'blobs'>;

/** An event in the current shape, with the stream to which it belongs. */
export type DecodedEvent =
  | { readonly kind: 'job'; readonly streamId: StreamId; readonly event: JobEvent }
  | { readonly kind: 'phase'; readonly streamId: StreamId; readonly phase: number; readonly event: PhaseEvent };

/** Decodes an event of a job. Returns undefined for one of a stream that holds no state of the job. Throws UndecodableEvent. */
export function decodeEvent(recorded: RecordedEvent): DecodedEvent | undefined {
  const { streamId } = recorded;
  const name = parseStreamName(streamId);
  if (name?.kind === 'job') return { kind: 'job', streamId, event: decodeJobEvent(recorded) };
  if (name?.kind === 'phase') return { kind: 'phase', streamId, phase: name.phase, event: decodePhaseEvent(recorded) };
  return undefined;
}

type ModelCallStarted = PhaseEventData<'ModelCallStarted'>;

/** The model that a call was made with: the name of its profile, its limits, and its prices unless the call is of an old version. */
export type RecordedRequest = NonNullable<ModelCallStarted['request']> & Pick<ModelCallStarted, 'model' | 'prices'>;

/** Returns the model with which a call was made; undefined for a call of an old version, which does not say. */
export function getRecordedRequest({ model, request, prices }: ModelCallStarted): RecordedRequest | undefined {
  return request && { ...request, model, ...(prices ? { prices } : {}) };
}

/** A recorded job as it was before the commit that is examined: the states of its streams. Moves forward commit by commit. */
export class RecordedJob {
  job: JobState | undefined;
  private readonly phases = new Map<number, PhaseState>();
  private lastRequest: RecordedRequest | undefined;
  private readonly requests = new Map<number, RecordedRequest>();
  private readonly lineage: Lineage;

  constructor(
    readonly jobId: JobId,
    readonly log: ReadableLog,
  ) {
    this.lineage = new Lineage(log);
  }

  /** The contents that the events of the job refer to. */
  get blobs(): BlobReader {
    return getJobBlobs(this.log.blobs, this.jobId);
  }

  /** The state of a phase before the commit; undefined if it had not started. */
  getPhase(phase: number): PhaseState | undefined {
    return this.phases.get(phase);
  }

  /** As a repository loads it, for decisions that read earlier phases. */
  async loadPhase(_jobId: JobId, phase: number): Promise<PhaseState | undefined> {
    return this.phases.get(phase);
  }

  /** The model of the last normal call of a phase, else of the job; undefined if it made none, or the log does not say. */
  getRequest(phase: number): RecordedRequest | undefined {
    return this.requests.get(phase) ?? this.lastRequest;
  }

  /** Folds the events of a commit, which must be the next one. */
  async apply(commit: readonly RecordedEvent[]): Promise<void> {
    for (const recorded of commit) {
      const decoded = decodeEvent(recorded);
      if (decoded?.kind === 'job')
        this.job = foldJob([decoded.event], this.job ?? (await this.lineage.loadJobBase(recorded)));
      if (decoded?.kind === 'phase') await this.applyToPhase(decoded.phase, decoded.event, recorded);
    }
  }

  private async applyToPhase(phase: number, event: PhaseEvent, recorded: RecordedEvent): Promise<void> {
    const before = this.phases.get(phase) ?? (await this.lineage.loadPhaseBase(recorded));
    this.phases.set(phase, foldPhase([event], before)!);
    const request = event.type === 'ModelCallStarted' && !event.data.purpose && getRecordedRequest(event.data);
    if (!request) return;
    this.requests.set(phase, request);
    this.lastRequest = request;
  }
}
