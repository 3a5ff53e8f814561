import type { StreamId } from '@phaseline/contracts';
import { decodeJobEvent, decodePhaseEvent, parseStreamName, type JobEvent, type PhaseEvent } from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';

interface At {
  readonly streamId: StreamId;
  /** The event as it is stored. */
  readonly recorded: RecordedEvent;
}

/** An event in the current shape, with its place. */
export type DecodedEvent =
  | (At & { readonly kind: 'job'; readonly event: JobEvent })
  | (At & { readonly kind: 'phase'; readonly phase: number; readonly event: PhaseEvent });

/** Decodes an event of a job. Returns undefined for one of a stream that holds no state of the job. Throws UndecodableEvent. */
export function decodeEvent(recorded: RecordedEvent): DecodedEvent | undefined {
  const one = decodeWhenRead(recorded);
  return one?.kind === 'phase' ? { ...one, event: one.event } : one;
}

/**
 * Like `decodeEvent`, but an event of a phase is decoded when its member `event` is read for the first time, which throws UndecodableEvent then.
 * Decoding takes longer than most readers of a long log take for an event, and many of them need few events.
 */
export function decodeWhenRead(recorded: RecordedEvent): DecodedEvent | undefined {
  const { streamId } = recorded;
  const name = parseStreamName(streamId);
  if (name?.kind === 'job') return { kind: 'job', streamId, recorded, event: decodeJobEvent(recorded) };
  return name?.kind === 'phase' ? new RecordedPhaseEvent(streamId, recorded, name.phase) : undefined;
}

class RecordedPhaseEvent implements At {
  readonly kind = 'phase';
  private decoded: PhaseEvent | undefined;

  constructor(
    readonly streamId: StreamId,
    readonly recorded: RecordedEvent,
    readonly phase: number,
  ) {}

  get event(): PhaseEvent {
    this.decoded ??= decodePhaseEvent(this.recorded);
    return this.decoded;
  }
}
