import type { PhaseState } from '../phase/phase-state.js';
import { buildDeadlineTimer, dispatchPhase, getNextDefinition, type PhaseRequest } from './dispatch-phase.js';
import type { FollowUp } from './job-decision.js';
import type { JobEvent } from './job-events.js';
import type { JobState } from './job-state.js';

/** The next phase of a job. It begins with the files of the phase before, unless the request names others. */
export type FollowUpRequest = Omit<PhaseRequest, 'tree'> & Partial<Pick<PhaseRequest, 'tree'>>;

/** Dispatches a phase, or fails the job if it reached its limit of phases or its deadline. */
export function dispatchWithinCaps(job: JobState, phase: PhaseState, request: FollowUpRequest, now: Date): FollowUp {
  const cap = Math.min(getNextDefinition(job).workflow.caps.phases, job.budgets.maxPhases ?? Infinity);
  if (job.phases >= cap) return buildJobFailed('phase_limit', `the job reached its limit of ${cap} phases`);
  if (isPastDeadline(job, now)) return failAtDeadline(job);
  const next = dispatchPhase(job, { ...request, tree: request.tree ?? phase.tree }, now);
  return { job: [next.dispatched, ...buildDeadlineTimer(job, next)], next };
}

export function isPastDeadline(job: JobState, now: Date): boolean {
  return job.deadlineAt !== undefined && now.getTime() >= Date.parse(job.deadlineAt);
}

export function failAtDeadline(job: JobState): FollowUp {
  const fired = Object.entries(job.timers)
    .filter(([, timer]) => timer.kind === 'deadline')
    .map(([timer]): JobEvent => ({ type: 'TimerFired', data: { timer } }));
  return { job: [...fired, ...buildJobFailed('wall_time_limit', `the job passed its deadline ${job.deadlineAt}`).job] };
}

/** Codes of the caps of a job: phases, wall time, tokens, cost and turns. */
export const CAP_CODES: ReadonlySet<string> = new Set([
  ...['phase_limit', 'wall_time_limit', 'token_limit', 'cost_limit'],
  ...['turn_limit', 'turn_time_limit', 'turn_cost_limit', 'daily_limit'],
]);

export function buildJobFailed(code: string, message: string): FollowUp {
  const aborted = CAP_CODES.has(code) ? { end: 'aborted' as const } : {};
  return { job: [{ type: 'JobFailed', data: { code, message, ...aborted } }] };
}
