import { getActorName, type Actor, type JobId } from '@phaseline/contracts';
import { jobStream } from '@phaseline/domain';
import { WrongExpectedVersion, type EventLog } from '@phaseline/event-store';
import { buildJobAppend, JobRepository } from '@phaseline/repository';

/** Outcome of a request to place or release a legal hold. */
export type HoldOutcome = 'recorded' | 'nothing-to-do' | 'no-such-job' | 'erased';

const MAX_CONFLICTS = 20;

/** Places a legal hold on a job, running or ended, or releases it. A second hold changes nothing. */
export async function holdJob(
  store: EventLog,
  jobId: JobId,
  { actor, reason, isReleased }: { readonly actor: Actor; readonly reason: string; readonly isReleased: boolean },
): Promise<HoldOutcome> {
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
    const job = await new JobRepository(store).loadJob(jobId);
    if (!job) return 'no-such-job';
    if (job.erased) return 'erased';
    if ((job.hold !== undefined) !== isReleased) return 'nothing-to-do';
    const data = { actor: getActorName(actor), reason };
    const event = isReleased ? ({ type: 'HoldReleased', data } as const) : ({ type: 'HoldPlaced', data } as const);
    try {
      await store.append(buildJobAppend(jobId, job.version, [event], { actor }));
      return 'recorded';
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion)) throw error;
    }
  }
  throw new Error(`${jobStream(jobId)} changed ${MAX_CONFLICTS} times while the hold was recorded; try again`);
}
