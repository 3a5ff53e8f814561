import { moveHandoffTimer } from '../handoff/handoff-timer.js';
import { isAsking, type AskingCall } from '../phase/state/calls.js';
import { listCalls, type PhaseState } from '../phase/phase-state.js';
import type { JobEvent } from './job-events.js';
import type { JobState } from './job-state.js';

/** The moved deadline, as recorded in the job and in the phase. */
interface MovedDeadline {
  readonly forJob: readonly JobEvent[];
  readonly forPhase: { readonly deadlineAt?: string };
}

const NOT_MOVED: MovedDeadline = { forJob: [], forPhase: {} };

/**
 * Moves the deadline of a job, and that of an open handoff, by the time that its phase waited for answers, when `ended` are the last open questions.
 * A pause moves the deadline itself, so only the time before it counts here.
 */
export function moveDeadlineAfterQuestion(
  job: JobState,
  phase: PhaseState,
  ended: readonly AskingCall[],
  now: Date,
): MovedDeadline {
  const endedIds = new Set(ended.map(({ callId }) => callId));
  const isLast = ended.length > 0 && listCalls(phase).every((call) => !isAsking(call) || endedIds.has(call.callId));
  if (!isLast) return NOT_MOVED;
  // Questions that are open together were asked in one commit, except for those after another call in between.
  const askedAt = Math.max(...ended.map(({ question }) => Date.parse(question.askedAt)));
  const until = job.paused ? Math.min(now.getTime(), Date.parse(job.paused.pausedAt)) : now.getTime();
  const waitedMs = Math.max(0, until - askedAt);
  const handoff = moveHandoffTimer(job, waitedMs);
  if (job.deadlineAt === undefined) return { forJob: handoff, forPhase: {} };
  const deadlineAt = new Date(Date.parse(job.deadlineAt) + waitedMs).toISOString();
  const number = phase.start.identity.phase;
  return {
    forJob: [{ type: 'JobDeadlineMoved', data: { phase: number, deadlineAt } }, ...handoff],
    forPhase: { deadlineAt },
  };
}
