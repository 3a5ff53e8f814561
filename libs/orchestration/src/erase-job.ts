import { getActorName, type Actor, type JobId } from '@phaseline/contracts';
import { decodeJobEvent, foldJob, isEncryptedJob, hasJobEnded, jobStream } from '@phaseline/domain';
import { WrongExpectedVersion, type EventStore } from '@phaseline/event-store';
import { buildJobAppend } from '@phaseline/repository';
import type { Clock } from './ports.js';

export interface EraseParts {
  readonly store: Pick<EventStore, 'read' | 'erase'>;
  readonly clock: Clock;
}

/** Outcome of a request to erase a job: erased now, erased before, refused, or no such job. */
export type EraseOutcome =
  | { readonly kind: 'erased' }
  | { readonly kind: 'nothing-to-do' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'no-such-job' };

/** Maximum number of conflicting appends. A job that has ended is rarely written to, except by a retry. */
const MAX_CONFLICTS = 20;

/**
 * Destroys the key of an encrypted job that has ended, together with its files, and records who requested it. This is
 * one commit, so a crash leaves both or neither and the request can always be repeated. A running job is refused, not
 * cancelled: erasing cannot be undone, and the caller should see that the job has stopped. Needs no master key.
 */
export async function eraseJob(
  { store, clock }: EraseParts,
  jobId: JobId,
  { actor, reason }: { readonly actor: Actor; readonly reason: string },
): Promise<EraseOutcome> {
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
    // The preview is enough to know the job's status. Its key may no longer exist.
    const events = await store.read(jobStream(jobId), { texts: 'preview' });
    const job = foldJob(events[0]?.type === 'JobForked' ? [] : events.map(decodeJobEvent));
    if (events.length === 0) return { kind: 'no-such-job' };
    if (!isEncryptedJob(jobId))
      return {
        kind: 'refused',
        reason: 'the job is not encrypted, and events that were written in the clear cannot be erased',
      };
    if (!job || !hasJobEnded(job))
      return { kind: 'refused', reason: `the job is ${job?.status ?? 'running'}; cancel it first, then erase it` };
    if (job.erased) {
      // Does nothing, unless a backup of only the table of keys was restored.
      await store.erase(jobId, undefined);
      return { kind: 'nothing-to-do' };
    }
    if (job.hold)
      return { kind: 'refused', reason: `a legal hold by ${job.hold.actor} is on the job (${job.hold.reason})` };
    const erased = {
      type: 'JobErased',
      data: { actor: getActorName(actor), reason, erasedAt: clock.now().toISOString() },
    } as const;
    try {
      await store.erase(jobId, buildJobAppend(jobId, job.version, [erased], { actor }));
      return { kind: 'erased' };
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion)) throw error;
    }
  }
  throw new Error(`job ${jobId} changed ${MAX_CONFLICTS} times while it was being erased; try again`);
}
