import { computeBackoffMs } from '@phaseline/basics';
import { findCurrentItem } from '../item/job-items.js';
import { listBlockedItems } from '../item/move-items.js';
import { OUTSIDE_FAILURES } from '../phase/failure-codes.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import { listCalls, type PhaseState } from '../phase/phase-state.js';
import { isAsking, isAwaitingApproval } from '../phase/state/calls.js';
import { awaitsImport } from '../repository/repository-work.js';
import { pauseForPerson, failUnattendedJob } from '../stuck/pause-for-person.js';
import { describeLastAttempt } from '../reflexion/describe-attempt.js';
import type { LastAttempt } from '../reflexion/last-attempt.js';
import { findPlanPlace, getPlanPlace } from '../todo/plan-place.js';
import { OTHER_FAILURES, type Transition, type WorkflowState } from '../workflow/workflow.js';
import { buildPhaseEnded, closePhase } from './close-phase.js';
import { buildDeadlineTimer, buildFirstPhase } from './dispatch-phase.js';
import {
  buildJobFailed,
  CAP_CODES,
  dispatchWithinCaps,
  failAtDeadline,
  isPastDeadline,
  type FollowUpRequest,
} from './dispatch-within-caps.js';
import { EXPIRY_ACTOR } from '../phase/expiry-actor.js';
import { evolveJob, foldJob } from './evolve-job.js';
import {
  describeFailedAttempt,
  endOverdueHandoff,
  followTransition,
  hasBlocked,
  reopenItems,
  type LeadingTransition,
} from './follow-transition.js';
import type { DecisionFiles, FollowUp, JobDecision } from './job-decision.js';
import type { JobEvent, JobEventData } from './job-events.js';
import { findDecidingPhase, hasJobEnded, type JobState, type LastPhase } from './job-state.js';
import { moveDeadlineAfterQuestion } from './question-deadline.js';
import { buildJobBlocked, describeCompletion } from './returned-end.js';

type EndingTransition = Extract<Transition, { readonly end: unknown }>;

const NOTHING: JobDecision = { job: [], activePhase: [] };

/** Longest wait before a phase is retried, in milliseconds. The wait doubles with every attempt up to this. */
const MAX_BACKOFF_MS = 3_600_000;

/**
 * Decides what a job does next. `phase` is the folded state of the phase that `findDecidingPhase` names, if it names one; `now`
 * determines which timers are due. An empty decision means that the job waits for its phase, a timer or a person, or has ended.
 */
export function decideJob(
  job: JobState,
  phase: PhaseState | undefined,
  now: Date,
  files: DecisionFiles = {},
): JobDecision {
  if (hasJobEnded(job)) return NOTHING;
  const needed = findDecidingPhase(job);
  if (needed !== undefined && !phase)
    throw new Error(`deciding the next step of the job requires the state of phase ${needed}`);
  if (job.cancelRequested) return cancelJob(job, job.active && phase, job.cancelRequested);
  if (job.paused) return { ...NOTHING, job: failUnattendedJob(job, now) };
  if (job.active && phase) {
    if (phase.end) return endPhase(job, job.active.attempt, phase, now, files);
    return (
      failOverdueJob(job, phase, now) ??
      endOverdueHandoff(job, phase, now, files) ??
      resumePhase(job, phase) ??
      endExpiredWaits(job, phase, now)
    );
  }
  if (job.retryAttempt === undefined || !job.last || !phase) return dispatchFirstPhase(job, now);
  return retryPhase(job, job.retryAttempt, job.last, phase, now, files);
}

function dispatchFirstPhase(job: JobState, now: Date): JobDecision {
  if (job.repository?.failure) {
    const { message } = job.repository.failure;
    return { ...NOTHING, job: buildJobFailed('repository_import_failed', message).job };
  }
  if (awaitsImport(job)) return NOTHING;
  const next = buildFirstPhase(job, now);
  return { job: [next.dispatched, ...buildDeadlineTimer(job, next)], activePhase: [], next };
}

function endPhase(job: JobState, attempt: number, phase: PhaseState, now: Date, files: DecisionFiles): JobDecision {
  const ended: JobEvent = { type: 'PhaseEnded', data: buildPhaseEnded(job, phase) };
  const followUp = decideAfterPhase(evolveJob(job, ended), phase, attempt, now, files);
  return { job: [ended, ...followUp.job], activePhase: [], ...(followUp.next ? { next: followUp.next } : {}) };
}

/** Decides what follows an ended phase, according to the workflow it ran under. */
function decideAfterPhase(
  job: JobState,
  phase: PhaseState,
  attempt: number,
  now: Date,
  files: DecisionFiles,
): FollowUp {
  const { identity } = phase.start;
  const state = job.definition.workflow.states[identity.state];
  const end = phase.end;
  if (!state || !end || end.kind === 'cancelled')
    return buildJobFailed('phase_cancelled', 'the phase was ended by an external request');
  if (end.kind === 'failed') return decideAfterFailure(job, phase, attempt, state, end, now, files);
  const transition = state.outcomes[end.outcome];
  if (!transition)
    return buildJobFailed('unknown_outcome', `the workflow has no outcome ${end.outcome} in state ${identity.state}`);
  if ('end' in transition) {
    const message = `the outcome ${end.outcome} of ${identity.state} ends the job`;
    if (transition.end !== 'completed') return endUncompleted(job, phase, end.outcome, transition, message);
    const completion = end.completion ?? describeCompletion(end.returned);
    const evidence = end.evidence ? { evidence: end.evidence } : {};
    return { job: [{ type: 'JobCompleted', data: { ...completion, ...evidence } }] };
  }
  const planned = end.plan;
  const ofPlan = planned
    ? {
        todos: planned.todos,
        ...(planned.phase ? { name: planned.phase, place: findPlanPlace(files.mainPlan ?? '', planned.phase) } : {}),
        ...(planned.description ? { objective: planned.description } : {}),
      }
    : {};
  const isFailedAttempt = transition.item === 'failed';
  return followTransition(job, phase, transition, {
    now,
    files,
    request: ofPlan,
    ...(isFailedAttempt ? { failure: describeFailedAttempt(end.returned) } : {}),
  });
}

/** What follows a failed phase: another attempt, the outcome that the state names for failures, or the end of the job. */
function decideAfterFailure(
  job: JobState,
  phase: PhaseState,
  attempt: number,
  state: WorkflowState,
  { code, message, retryable }: Extract<PhaseState['end'], { readonly kind: 'failed' }>,
  now: Date,
  files: DecisionFiles,
): FollowUp {
  const { identity, terms } = phase.start;
  const sameFailures = job.last?.sameFailures ?? 1;
  const isExhausted = attempt > state.retries || sameFailures >= terms.limits.identicalFailures;
  // A failure around the agent says nothing about its work, so the phase is tried again before it counts as an attempt.
  const isRetried = retryable && !isExhausted && (state.failure === undefined || OUTSIDE_FAILURES.has(code));
  if (isRetried) {
    if (code === 'model_failed' && state.backoffMs > 0) return scheduleRetry(phase, attempt, state.backoffMs, now);
    const lastAttempt = describeLastAttempt(phase, 'phase', message);
    return dispatchWithinCaps(job, phase, { ...buildRetryRequest(phase, attempt + 1), lastAttempt }, now);
  }
  const attempts = attempt > 1 ? ` after ${attempt} attempts` : '';
  const text = `phase ${identity.phase} (${identity.name}) failed${attempts}: ${message}`;
  const pausedForPerson = pauseForPerson(phase, text, now);
  if (pausedForPerson) return { job: pausedForPerson };
  const outcome = state.failures?.[code] ?? state.failures?.[OTHER_FAILURES];
  const named = outcome === undefined ? undefined : state.outcomes[outcome];
  if (named && outcome !== undefined)
    return 'to' in named
      ? followTransition(job, phase, named, { now, files, failure: text })
      : endUncompleted(job, phase, outcome, named, text);
  const transition = findFailureTransition(job, state, code);
  if (!transition) return buildJobFailed(code, text);
  return followTransition(job, phase, transition, { now, files, failure: text });
}

/** Ends the job by an outcome that does not complete it. */
function endUncompleted(
  job: JobState,
  phase: PhaseState,
  outcome: string,
  transition: EndingTransition,
  message: string,
): FollowUp {
  const { code = 'workflow_failed' } = transition;
  switch (transition.end) {
    case 'blocked': {
      const blocked = listBlockedItems(job.items).map(({ id, reason = '' }) => ({ id, reason }));
      const returned = phase.end?.kind === 'completed' ? phase.end.returned : undefined;
      return { job: [buildJobBlocked(phase, outcome, transition, returned, blocked)] };
    }
    case 'cancelled':
      return { job: [{ type: 'JobCancelled', data: { actor: 'workflow', reason: message } }] };
    case 'aborted':
      return { job: [{ type: 'JobFailed', data: { code, message, end: 'aborted' } }] };
    default:
      return { job: [{ type: 'JobFailed', data: { code, message } }] };
  }
}

/** The transition that a state names for failures. A cap of the job ends the job all the same, and so does a refused list of items. */
function findFailureTransition(job: JobState, state: WorkflowState, code: string): LeadingTransition | undefined {
  if (state.failure === undefined || CAP_CODES.has(code) || code === 'items_refused') return undefined;
  if (!findCurrentItem(job.items)) return undefined;
  const transition = state.outcomes[state.failure];
  return transition && 'to' in transition ? transition : undefined;
}

/** Sets the timer after which the phase is retried. An immediate retry would not help a server that is down. */
function scheduleRetry(phase: PhaseState, attempt: number, backoffMs: number, now: Date): FollowUp {
  const waitMs = computeBackoffMs({ firstMs: backoffMs, maxMs: MAX_BACKOFF_MS }, attempt);
  const dueAt = new Date(now.getTime() + waitMs).toISOString();
  return {
    job: [{ type: 'TimerSet', data: { timer: `backoff-${phase.start.identity.phase}`, kind: 'backoff', dueAt } }],
  };
}

/** Continues after the last phase once its backoff has expired or a person has asked for a retry. */
function retryPhase(
  job: JobState,
  attempt: number,
  last: LastPhase,
  phase: PhaseState,
  now: Date,
  files: DecisionFiles,
): JobDecision {
  const backoffs = Object.entries(job.timers).filter(([, timer]) => timer.kind === 'backoff');
  if (backoffs.some(([, timer]) => Date.parse(timer.dueAt) > now.getTime())) return NOTHING;
  const fired = backoffs.map(([timer]): JobEvent => ({ type: 'TimerFired', data: { timer } }));
  const current = foldJob(fired, job)!;
  const reopened = reopenItems(current, phase, now);
  if (reopened) return { ...reopened, job: [...fired, ...reopened.job], activePhase: [] };
  // A completed phase is not repeated: only the decision about what follows it is made again. One that blocked the job is.
  const followUp =
    phase.end?.kind === 'completed' && !hasBlocked(current, phase)
      ? decideAfterPhase(current, phase, last.attempt, now, files)
      : dispatchWithinCaps(
          current,
          phase,
          { ...buildRetryRequest(phase, attempt), lastAttempt: describeRetriedAttempt(phase) },
          now,
        );
  return { job: [...fired, ...followUp.job], activePhase: [], ...(followUp.next ? { next: followUp.next } : {}) };
}

/** The attempt that a person wants to be made again: a failed phase, or one whose outcome blocked the job. */
function describeRetriedAttempt(phase: PhaseState): LastAttempt | undefined {
  if (phase.end?.kind === 'failed') return describeLastAttempt(phase, 'job', phase.end.message);
  if (phase.end?.kind !== 'completed') return undefined;
  return describeLastAttempt(phase, 'job', describeFailedAttempt(phase.end.returned));
}

function buildRetryRequest(phase: PhaseState, attempt: number): FollowUpRequest {
  const { identity, plan } = phase.start;
  return {
    state: identity.state,
    attempt,
    // The list of a completed phase is done, so that of its beginning is worked on again.
    todos: phase.end?.kind === 'completed' ? plan.todos : phase.todos.list,
    name: identity.name,
    place: getPlanPlace(plan),
    received: plan.received,
    ...(plan.item ? { item: plan.item } : {}),
    ...(plan.handoff ? { handoff: plan.handoff } : {}),
    ...(phase.end?.kind === 'failed' ? { failed: phase } : {}),
    ...(plan.objective === undefined ? {} : { objective: plan.objective }),
  };
}

/** Fails a job that is past its deadline while its phase still runs. */
function failOverdueJob(job: JobState, phase: PhaseState, now: Date): JobDecision | undefined {
  // Waiting for an answer does not count as wall time.
  if (!isPastDeadline(job, now) || listCalls(phase).some(isAsking)) return undefined;
  const closingEvents = closePhase(phase, `the job passed its deadline ${job.deadlineAt}`);
  return {
    job: [{ type: 'PhaseEnded', data: buildPhaseEnded(job, phase, 'cancelled') }, ...failAtDeadline(job).job],
    activePhase: closingEvents,
  };
}

/** Resumes the paused phase of a resumed job. This is separate from the resume request because it may have to wait for a slot. */
function resumePhase(job: JobState, phase: PhaseState): JobDecision | undefined {
  if (!phase.paused) return undefined;
  const { deadlineAt, resumedBy = phase.paused.actor } = job;
  const resumed: PhaseEvent = {
    type: 'PhaseResumed',
    data: { actor: resumedBy, ...(deadlineAt === undefined ? {} : { deadlineAt }) },
  };
  return { job: [], activePhase: [resumed] };
}

/** Refuses the calls whose approval has expired, and ends the questions whose deadline has passed. */
function endExpiredWaits(job: JobState, phase: PhaseState, now: Date): JobDecision {
  const expired = listCalls(phase)
    .filter(isAwaitingApproval)
    .filter(({ expiresAt }) => Date.parse(expiresAt ?? '') <= now.getTime());
  const refused = expired.map(({ callId, expiresAt }): PhaseEvent => ({
    type: 'ApprovalRefused',
    data: { callId, actor: EXPIRY_ACTOR, reason: `the approval expired at ${expiresAt}.` },
  }));
  const overdue = listCalls(phase)
    .filter(isAsking)
    .filter(({ question }) => Date.parse(question.deadlineAt) <= now.getTime());
  const moved = moveDeadlineAfterQuestion(job, phase, overdue, now);
  const timedOut = overdue.map(({ callId }): PhaseEvent => ({
    type: 'QuestionTimedOut',
    data: { callId, ...moved.forPhase },
  }));
  return { job: moved.forJob, activePhase: [...refused, ...timedOut] };
}

function cancelJob(
  job: JobState,
  phase: PhaseState | undefined,
  request: JobEventData<'JobCancelRequested'>,
): JobDecision {
  const events: JobEvent[] = [];
  let closingEvents: readonly PhaseEvent[] = [];
  if (phase) {
    closingEvents = phase.end ? [] : closePhase(phase, request.reason);
    events.push({ type: 'PhaseEnded', data: buildPhaseEnded(job, phase, 'cancelled') });
  }
  events.push({ type: 'JobCancelled', data: request });
  return { job: events, activePhase: closingEvents };
}
