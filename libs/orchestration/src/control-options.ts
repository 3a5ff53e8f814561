import { createHash } from 'node:crypto';
import { isSealedJob, jobStream, type ControlRequest, type JobState } from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import { canonicalJson, eventIdFor, ownedKey } from '@phaseline/history';

/** What the caller of a request may say beside what it asks for. */
export interface ControlOptions {
  /** The same key of the same actor, with the same request, is recorded once, however often and by whichever process it is heard. */
  readonly idempotencyKey?: string | undefined;
  /** Opaque id of the actor that asks; part of the idempotency key. `local` where it is missing. */
  readonly actorId?: string | undefined;
  /** A position of the log: refused when somebody asked something of the job's course behind it. */
  readonly ifUnchangedSince?: number | undefined;
  /** Asked right before the request is recorded: false once the caller does not wait for it any more. */
  readonly stillWanted?: () => boolean;
}

/** A request under its caller's key. */
export interface KeyedRequest {
  /** The id of its event number `index`; that of number 0 tells whether it was recorded. */
  eventId(index: number): string;
  /** Of what was asked for; stored with its events. */
  readonly hash: string;
}

/** `undefined` for a request without a key. */
export function keyedRequest(
  jobId: string,
  request: ControlRequest,
  { idempotencyKey, actorId }: ControlOptions,
): KeyedRequest | undefined {
  if (idempotencyKey === undefined) return undefined;
  // The newest definition may be a newer one when the request is repeated: it is the same request all the same. And what
  // is said to a sealed job must not show in the open, not even as a hash that guesses can be compared with.
  const { action, actor } = request;
  const asked = action === 'change-definition' || isSealedJob(jobId) ? { action, actor } : request;
  // A job has one tenant, so the actor is what remains to be told apart.
  const owned = ownedKey({ actorId }, idempotencyKey);
  return {
    eventId: (index) => eventIdFor(`control/${jobId}/${owned}/${index}`),
    hash: createHash('sha256').update(canonicalJson(asked)).digest('hex'),
  };
}

/** Why a request comes too late, where somebody paused, resumed, retried or cancelled the job since its caller saw it. */
export async function askedSince(
  { submitted: { jobId }, lastAsked }: JobState,
  store: Pick<EventLog, 'readAt'>,
  { ifUnchangedSince }: ControlOptions,
): Promise<string | undefined> {
  if (ifUnchangedSince === undefined || !lastAsked) return undefined;
  const event = await store.readAt(jobStream(jobId), lastAsked.version);
  if (!event || event.position <= ifUnchangedSince) return undefined;
  const { what, actor } = lastAsked;
  return (
    `${actor} ${what === 'cancelled' ? 'asked for the end of' : what} the job at ${event.recordedAt} ` +
    `(position ${event.position}), after what this request was made for (position ${ifUnchangedSince}); look at it and ask again`
  );
}
