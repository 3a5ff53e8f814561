import type { JobEvent } from '../job/job-events.js';
import type { JobState } from '../job/job-state.js';
import type { PhaseState } from '../phase/phase-state.js';
import { getStuckSettings } from './climb-ladder.js';

/** Actor recorded when stuck detection pauses a job. */
const STUCK_DETECTION_ACTOR = 'stuck detection';

/**
 * Builds the events by which a stuck job waits for a person instead of failing: a pause with the reason, and a timer for
 * the time limit. Returns `undefined` if the agent's settings do not include this.
 */
export function pauseForPerson(phase: PhaseState, reason: string, now: Date): readonly JobEvent[] | undefined {
  const { rungs, personTimeoutMs } = getStuckSettings(phase);
  if (phase.end?.kind !== 'failed' || phase.end.code !== 'stuck' || !rungs.includes('person')) return undefined;
  const dueAt = new Date(now.getTime() + personTimeoutMs).toISOString();
  const hint = 'Send the agent a message that says how to continue (steer) and resume the job, or cancel the job';
  return [
    {
      type: 'JobPaused',
      data: { actor: STUCK_DETECTION_ACTOR, reason: `${reason}. ${hint}`, pausedAt: now.toISOString() },
    },
    { type: 'TimerSet', data: { timer: `person-${phase.start.identity.phase}`, kind: 'person', dueAt } },
  ];
}

/** Whether the job is paused because its agent is stuck. */
export function isWaitingForPerson(job: JobState): boolean {
  return job.paused !== undefined && Object.values(job.timers).some(({ kind }) => kind === 'person');
}

/** Builds the failure of a job that no person attended to in time; empty before its time limit. */
export function failUnattendedJob(job: JobState, now: Date): readonly JobEvent[] {
  const due = Object.entries(job.timers).find(
    ([, { kind, dueAt }]) => kind === 'person' && Date.parse(dueAt) <= now.getTime(),
  );
  const failure = job.last?.failure;
  if (!job.paused || !due || !failure) return [];
  const [timer, { dueAt }] = due;
  const message = `${failure.message}; the job was paused for a person until ${dueAt} and was not resumed`;
  return [
    { type: 'TimerFired', data: { timer } },
    { type: 'JobFailed', data: { code: failure.code, message } },
  ];
}

type Change = Pick<JobState, 'retryAttempt' | 'last' | 'rewinds'>;

/** State change for a pause that replaces a failure: resuming the job retries the last phase. */
export function prepareRetryAfterPause({ active, last, retryAttempt }: JobState): Partial<Change> {
  if (active || !last?.failure || retryAttempt !== undefined) return {};
  return { retryAttempt: 1, last: { ...last, sameFailures: 0 }, rewinds: undefined };
}
