import { decodeJobEvent, foldJob, isSealedJob, jobHasEnded, jobStream } from '@phaseline/domain';
import { WrongExpectedVersion, type EventStore } from '@phaseline/event-store';
import { jobAppend } from '@phaseline/history';
import type { Clock } from './ports.js';

export interface EraseParts {
  readonly store: Pick<EventStore, 'read' | 'erase'>;
  readonly clock: Clock;
}

/** What became of it: erased now, erased before, refused, or there is no such job. */
export type EraseOutcome =
  | { readonly kind: 'erased' }
  | { readonly kind: 'nothing-to-do' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'no-such-job' };

/** A job that has ended is seldom written to: a retry that came in between is all there is. */
const MAX_CONFLICTS = 20;

/**
 * Destroys the key of a sealed job that has ended, with its files, and records who asked: in one commit, so that a crash leaves
 * both or neither, and asking again is always right. A job that runs is refused and not cancelled on the way: erasing cannot be
 * undone, and whoever asks should see that the job has stopped. Needs no master key.
 */
export async function eraseJob(
  { store, clock }: EraseParts,
  jobId: string,
  { actor, reason }: { readonly actor: string; readonly reason: string },
): Promise<EraseOutcome> {
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
    // What may be seen is enough to know how the job stands; its key may not even be there any more.
    const events = await store.read(jobStream(jobId), { texts: 'preview' });
    const job = foldJob(events[0]?.type === 'JobForked' ? [] : events.map(decodeJobEvent));
    if (events.length === 0) return { kind: 'no-such-job' };
    if (!isSealedJob(jobId))
      return {
        kind: 'refused',
        reason: 'the job is not encrypted, and an event that was written in the clear cannot be taken back',
      };
    if (!job || !jobHasEnded(job))
      return { kind: 'refused', reason: `the job is ${job?.status ?? 'running'}; cancel it first, then erase it` };
    if (job.erased) {
      // Does nothing, unless the key came back with a backup of the table of keys alone.
      await store.erase(jobId, undefined);
      return { kind: 'nothing-to-do' };
    }
    const erased = { type: 'JobErased', data: { actor, reason, at: clock.now().toISOString() } } as const;
    try {
      await store.erase(jobId, jobAppend(jobId, job.version, [erased], { actor }));
      return { kind: 'erased' };
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion)) throw error;
    }
  }
  throw new Error(`job ${jobId} changed ${MAX_CONFLICTS} times while it was being erased; ask again`);
}
