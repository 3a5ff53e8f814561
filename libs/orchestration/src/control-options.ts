import { createHash } from 'node:crypto';
import { isEncryptedJob, jobStream, type ControlRequest, type JobState } from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import { toCanonicalJson } from '@phaseline/basics';
import { identifyKeyOwner, type Actor, type JobId, type EventId } from '@phaseline/contracts';
import { deriveEventId, combineKeyWithOwner } from '@phaseline/repository';

/** Options that the caller of a control request may add. */
export interface ControlOptions {
  /**
   * Requests with the same key, actor and content are recorded once, even if they are sent repeatedly or received by
   * different processes.
   */
  readonly idempotencyKey?: string | undefined;
  /** Authenticated sender of the request; part of the idempotency key. Default: a person with the name in the request. */
  readonly sender?: Actor | undefined;
  /** Position in the log. The request is refused when the job was paused, resumed, retried or cancelled after it. */
  readonly ifUnchangedSince?: number | undefined;
  /** Called right before the request is recorded; returns false once the caller no longer waits for it. */
  readonly isStillWanted?: () => boolean;
}

/** A control request with its idempotency key. */
export interface KeyedRequest {
  /**
   * Returns the id of the request's event number `index`. An event with the id of number 0 exists if the request was recorded.
   */
  eventId(index: number): EventId;
  /** SHA-256 of the request, in hex; stored with its events. */
  readonly hash: string;
}

/** Returns the request with its key; `undefined` when it has none. */
export function toKeyedRequest(
  jobId: JobId,
  request: ControlRequest,
  { idempotencyKey, sender }: ControlOptions,
): KeyedRequest | undefined {
  if (idempotencyKey === undefined) return undefined;
  // When change-definition is repeated, the newest definition may have moved on, but it is the same request. Texts sent to an
  // encrypted job must not be stored unencrypted, not even as a hash with which guesses could be compared.
  const { action, actor } = request;
  const hashedRequest = action === 'change-definition' || isEncryptedJob(jobId) ? { action, actor } : request;
  // A job has one tenant, so only the actor distinguishes the owners of a key.
  const owned = combineKeyWithOwner({ actorId: sender && identifyKeyOwner(sender) }, idempotencyKey);
  return {
    eventId: (index) => deriveEventId(`control/${jobId}/${owned}/${index}`),
    hash: createHash('sha256').update(toCanonicalJson(hashedRequest)).digest('hex'),
  };
}

/**
 * Returns why a request is too late: the job was paused, resumed, retried or cancelled after its caller last saw it.
 */
export async function findLaterRequest(
  { submitted: { jobId }, lastRequest }: JobState,
  store: Pick<EventLog, 'readAt'>,
  { ifUnchangedSince }: ControlOptions,
): Promise<string | undefined> {
  if (ifUnchangedSince === undefined || !lastRequest) return undefined;
  const event = await store.readAt(jobStream(jobId), lastRequest.version);
  if (!event || event.position <= ifUnchangedSince) return undefined;
  const { action: change, actor } = lastRequest;
  return (
    `${actor} ${change === 'cancelled' ? 'requested the end of' : change} the job at ${event.recordedAt} ` +
    `(position ${event.position}), after the state that this request is based on (position ${ifUnchangedSince}); check the job and send the request again`
  );
}
