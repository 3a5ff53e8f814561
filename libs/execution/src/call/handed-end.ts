import { callIdSchema, processIdSchema, type ProcessId } from '@phaseline/contracts';
import { decodePhaseEvent, isEncryptedJob, phaseStream, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import { encodeEvent, type EventOrigin } from '@phaseline/repository';
import { z } from 'zod';
import { findOpenCall, type CallRequest } from './call-request.js';
import { encodedEventSchema } from './newer-events.js';

const handedEndSchema = z.object({
  callId: callIdSchema,
  epoch: z.int().nonnegative(),
  /** Version of the state on which the end was decided. */
  version: z.int().nonnegative(),
  events: z.array(encodedEventSchema),
  /** The process that ran the call. */
  processId: processIdSchema,
  traceparent: z.string().optional(),
});

/**
 * The end of a remote call that a tool-runner hands over to the worker of the phase, which appends it together with what follows from it. It
 * is in no log and no queue: when it is lost, the call runs again.
 */
export interface HandedEnd extends Pick<CallRequest, 'callId' | 'epoch'> {
  readonly version: number;
  readonly events: readonly PhaseEvent[];
  readonly origin: EventOrigin;
}

/** Whether the end of a call may be handed over: the call may run again, and the end needs no content besides its events. */
export function mayHandOver(
  { base, blobs }: { readonly base: PhaseState; readonly blobs: readonly unknown[] },
  request: CallRequest,
): boolean {
  const call = findOpenCall(base, request);
  return call !== undefined && call.effect !== 'once' && blobs.length === 0 && !isEncryptedJob(request.jobId);
}

/** The JSON of what is handed over. */
export function encloseEnd(
  { base, events }: { readonly base: PhaseState; readonly events: readonly PhaseEvent[] },
  { callId, epoch }: CallRequest,
  processId: ProcessId,
  traceparent: string | undefined,
): z.input<typeof handedEndSchema> {
  return {
    ...{ callId, epoch, version: base.version, events: events.map(encodeEvent), processId },
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** Reads what a tool-runner enclosed; undefined if it is something else, or if this release cannot read it. */
export function parseHandedEnd(at: Pick<CallRequest, 'jobId' | 'phase'>, enclosed: unknown): HandedEnd | undefined {
  if (enclosed === undefined) return undefined;
  const parsed = handedEndSchema.safeParse(enclosed).data;
  if (!parsed) return undefined;
  const { callId, epoch, version, events, processId, traceparent } = parsed;
  try {
    return {
      ...{ callId, epoch, version },
      events: events.map((event, index) =>
        decodePhaseEvent({ ...event, streamId: phaseStream(at.jobId, at.phase), version: version + index + 1 }),
      ),
      origin: {
        actor: { id: processId, kind: 'process' },
        causationId: callId,
        ...(traceparent === undefined ? {} : { traceparent }),
      },
    };
  } catch {
    return undefined;
  }
}
