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
  const { streamId } = recorded;
  const name = parseStreamName(streamId);
  if (name?.kind === 'job') return { kind: 'job', streamId, recorded, event: decodeJobEvent(recorded) };
  if (name?.kind === 'phase')
    return { kind: 'phase', streamId, recorded, phase: name.phase, event: decodePhaseEvent(recorded) };
  return undefined;
}
