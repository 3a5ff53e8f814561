import { hasCallEnded, hasJobEnded } from '@phaseline/domain';
import type { QueuedMessage } from '@phaseline/queue';
import type { DoctorTarget } from './doctor-target.js';

/** Whether a message refers to a job, phase or call that has ended or does not exist. False if its stream cannot be read. */
export async function isOrphan(
  { repository }: Pick<DoctorTarget, 'repository'>,
  message: QueuedMessage,
): Promise<boolean> {
  const { jobId, phase, callId, timer } = (message.payload ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof jobId !== 'string') return false;
  try {
    if (typeof timer === 'string') {
      const job = await repository.loadJob(jobId);
      return !job || hasJobEnded(job) || !(timer in job.timers || job.active !== undefined);
    }
    if (typeof phase !== 'number') return false;
    const state = await repository.loadPhase(jobId, phase);
    if (!state || state.end) return true;
    if (typeof callId !== 'string') return false;
    const call = state.calls.byId[callId];
    return !call || hasCallEnded(call);
  } catch {
    return false;
  }
}
