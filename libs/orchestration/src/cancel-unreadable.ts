import type { Actor, JobId } from '@phaseline/contracts';
import { jobStream, phaseStream } from '@phaseline/domain';
import {
  DuplicateEventId,
  StreamClosed,
  WrongExpectedVersion,
  type EventLog,
  type StreamHead,
} from '@phaseline/event-store';
import { buildJobAppend, buildPhaseAppend } from '@phaseline/repository';
import type { KeyedRequest } from './control-options.js';

/** Maximum number of open phases to close. A job has at most one. */
const MAX_OPEN_PHASES = 100;

/**
 * Cancels a job without folding it: closes its open phases and the job in one commit, regardless of what the streams contain.
 * Used for a job that cannot be read, which no decision could end. Returns `changed` when something was appended meanwhile.
 */
export async function cancelUnreadable(
  store: Pick<EventLog, 'head' | 'openStreams' | 'append'>,
  jobId: JobId,
  { actor, reason }: { readonly actor: string; readonly reason: string },
  sender: Actor,
  keyed: KeyedRequest | undefined,
): Promise<'cancelled' | 'no-such-job' | 'ended' | 'changed'> {
  const head = await store.head(jobStream(jobId));
  if (!head) return 'no-such-job';
  if (head.closed) return 'ended';
  const prefix = phaseStream(jobId, 1).slice(0, -1);
  const open = await store.openStreams({ prefix, idleForMs: 0, limit: MAX_OPEN_PHASES });
  const origin = { actor: sender, ...(keyed ? { request: keyed.hash } : {}) };
  const eventIds = keyed ? { 0: keyed.eventId(0), 1: keyed.eventId(1) } : undefined;
  const why = { actor, reason };
  const job = buildJobAppend(
    jobId,
    head.version,
    [
      { type: 'JobCancelRequested', data: why },
      { type: 'JobCancelled', data: why },
    ],
    origin,
    eventIds,
  );
  const phases = open.map(({ streamId, version }: StreamHead) =>
    buildPhaseAppend(
      jobId,
      Number(streamId.slice(prefix.length)),
      version,
      [{ type: 'PhaseCancelled', data: { reason } }],
      { origin },
    ),
  );
  try {
    await store.append([job, ...phases]);
    return 'cancelled';
  } catch (error) {
    if (error instanceof WrongExpectedVersion || error instanceof StreamClosed || error instanceof DuplicateEventId)
      return 'changed';
    throw error;
  }
}
