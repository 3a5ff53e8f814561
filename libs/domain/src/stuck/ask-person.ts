import type { JobEvent } from '../job/job-events.js';
import type { JobState } from '../job/job-state.js';
import type { PhaseState } from '../phase/phase-state.js';
import { stuckSettingsOf } from './climb-ladder.js';

/** Who pauses a job that waits for a person because its agent goes in circles. */
export const STUCK_DETECTION = 'stuck detection';

/**
 * The facts by which a job whose last attempt went in circles waits for a person, in place of failing: a pause that says why,
 * and the time by which somebody has to come. `undefined` where the agent does not want that.
 */
export function askPerson(phase: PhaseState, reason: string, now: Date): readonly JobEvent[] | undefined {
  const { rungs, personWithinMs } = stuckSettingsOf(phase);
  if (phase.end?.kind !== 'failed' || phase.end.code !== 'stuck' || !rungs.includes('person')) return undefined;
  const dueAt = new Date(now.getTime() + personWithinMs).toISOString();
  const hint = 'Tell the agent how to go on (steer) and resume the job, or cancel it';
  return [
    { type: 'JobPaused', data: { actor: STUCK_DETECTION, reason: `${reason}. ${hint}`, at: now.toISOString() } },
    { type: 'TimerSet', data: { timer: `person-${phase.start.phase}`, kind: 'person', dueAt } },
  ];
}

/** Whether the job is paused because its agent goes in circles. */
export function waitsForPerson(job: JobState): boolean {
  return job.paused !== undefined && Object.values(job.timers).some(({ kind }) => kind === 'person');
}

/** The end of a job for which nobody came in time; empty before that. */
export function nobodyCame(job: JobState, now: Date): readonly JobEvent[] {
  const due = Object.entries(job.timers).find(
    ([, { kind, dueAt }]) => kind === 'person' && Date.parse(dueAt) <= now.getTime(),
  );
  const failure = job.last?.failure;
  if (!job.paused || !due || !failure) return [];
  const [timer, { dueAt }] = due;
  const message = `${failure.message}; it waited for a person until ${dueAt}, and nobody came`;
  return [
    { type: 'TimerFired', data: { timer } },
    { type: 'JobFailed', data: { code: failure.code, message } },
  ];
}

type Changed = Pick<JobState, 'retryAttempt' | 'last' | 'rewinds'>;

/** What a pause changes that comes in place of the end: whoever resumes the job has the last phase tried anew. */
export function pausedInPlaceOfEnd({ active, last, retryAttempt }: JobState): {
  -readonly [Key in keyof Changed]?: Changed[Key] | undefined;
} {
  if (active || !last?.failure || retryAttempt !== undefined) return {};
  return { retryAttempt: 1, last: { ...last, sameFailures: 0 }, rewinds: undefined };
}
