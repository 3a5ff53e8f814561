import { computeBackoffMs } from '@phaseline/basics';
import { hasCallEnded, isAsking, isAwaitingApproval } from '../phase/state/calls.js';
import { EXPIRY_ACTOR } from './ended-wait.js';
import { moveDeadlineAfterQuestion } from './question-deadline.js';
import type { PhaseEvent, PhaseEventData } from '../phase/phase-events.js';
import { listCalls, type PhaseState } from '../phase/phase-state.js';
import { pauseForPerson, failUnattendedJob } from '../stuck/pause-for-person.js';
import { listOpenObligations } from '../todo/obligation.js';
import { buildJobBlocked, describeCompletion } from './returned-end.js';
import { findPlanPlace, getPlanPlace, type PlanPlace } from '../todo/plan-place.js';
import type { ReceivedReturn } from '../return/return-events.js';
import { createTodos, type Todo } from '../todo/todo.js';
import {
  buildDeadlineTimer,
  getNextDefinition,
  dispatchPhase,
  buildFirstPhase,
  type NextPhase,
} from './dispatch-phase.js';
import { awaitsImport } from '../repository/repository-work.js';
import type { JobEvent, JobEventData } from './job-events.js';
import { evolveJob, foldJob } from './evolve-job.js';
import { findDecidingPhase, hasJobEnded, type JobState, type LastPhase } from './job-state.js';

/** Events to append in one commit, and the phase to run next, if any. */
export interface JobDecision {
  readonly job: readonly JobEvent[];
  /** Events for the stream of the active phase. */
  readonly activePhase: readonly PhaseEvent[];
  readonly next?: NextPhase;
}

const NOTHING: JobDecision = { job: [], activePhase: [] };

/** Longest wait before a phase is retried, in milliseconds. The wait doubles with every attempt up to this. */
const MAX_BACKOFF_MS = 3_600_000;

/**
 * Decides what a job does next. `phase` is the folded state of the phase that `findDecidingPhase` names, if it names one; `now`
 * determines which timers are due; `mainPlan` is the text of the plan of the job, if a phase was just completed. An empty decision means that the job waits for its phase, a timer or a person, or has ended.
 */
export function decideJob(job: JobState, phase: PhaseState | undefined, now: Date, mainPlan?: string): JobDecision {
  if (hasJobEnded(job)) return NOTHING;
  const needed = findDecidingPhase(job);
  if (needed !== undefined && !phase)
    throw new Error(`deciding the next step of the job requires the state of phase ${needed}`);
  if (job.cancelRequested) return cancelJob(job, job.active && phase, job.cancelRequested);
  if (job.paused) return { ...NOTHING, job: failUnattendedJob(job, now) };
  if (job.active && phase) {
    if (phase.end) return endPhase(job, job.active.attempt, phase, now, mainPlan);
    return failOverdueJob(job, phase, now) ?? resumePhase(job, phase) ?? endExpiredWaits(job, phase, now);
  }
  if (job.retryAttempt === undefined || !job.last || !phase) return dispatchFirstPhase(job, now);
  return retryPhase(job, job.retryAttempt, job.last, phase, now, mainPlan);
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

function endPhase(
  job: JobState,
  attempt: number,
  phase: PhaseState,
  now: Date,
  mainPlan: string | undefined,
): JobDecision {
  const ended: JobEvent = { type: 'PhaseEnded', data: buildPhaseEnded(phase) };
  const followUp = decideAfterPhase(evolveJob(job, ended), phase, attempt, now, mainPlan);
  return { job: [ended, ...followUp.job], activePhase: [], ...(followUp.next ? { next: followUp.next } : {}) };
}

interface FollowUp {
  readonly job: readonly JobEvent[];
  readonly next?: NextPhase;
}

/** Decides what follows an ended phase, according to the workflow it ran under. */
function decideAfterPhase(
  job: JobState,
  phase: PhaseState,
  attempt: number,
  now: Date,
  mainPlan: string | undefined,
): FollowUp {
  const { identity, terms } = phase.start;
  const state = job.definition.workflow.states[identity.state];
  const end = phase.end;
  if (!state || !end || end.kind === 'cancelled')
    return buildJobFailed('phase_cancelled', 'the phase was ended by an external request');
  if (end.kind === 'failed') {
    const { code, message, retryable } = end;
    const sameFailures = job.last?.sameFailures ?? 1;
    if (!retryable || attempt > state.retries || sameFailures >= terms.limits.identicalFailures) {
      const attempts = attempt > 1 ? ` after ${attempt} attempts` : '';
      const text = `phase ${identity.phase} (${identity.name}) failed${attempts}: ${message}`;
      const pausedForPerson = pauseForPerson(phase, text, now);
      return pausedForPerson ? { job: pausedForPerson } : buildJobFailed(code, text);
    }
    if (code === 'model_failed' && state.backoffMs > 0) return scheduleRetry(phase, attempt, state.backoffMs, now);
    return dispatchWithinCaps(job, phase, buildRetryRequest(phase, attempt + 1), now);
  }
  const transition = state.outcomes[end.outcome];
  if (!transition)
    return buildJobFailed('unknown_outcome', `the workflow has no outcome ${end.outcome} in state ${identity.state}`);
  if ('end' in transition) {
    if (transition.end === 'blocked') return { job: [buildJobBlocked(phase, end.outcome, transition, end.returned)] };
    if (transition.end === 'failed')
      return buildJobFailed('workflow_failed', `the outcome ${end.outcome} of ${identity.state} ends the job`);
    const completion = end.completion ?? describeCompletion(end.returned);
    const evidence = end.evidence ? { evidence: end.evidence } : {};
    return { job: [{ type: 'JobCompleted', data: { ...completion, ...evidence } }] };
  }
  const planned = end.plan;
  return dispatchWithinCaps(
    job,
    phase,
    {
      state: transition.to,
      attempt: 1,
      ...(transition.todos ? { todos: createTodos(transition.todos) } : {}),
      ...receiveReturn(phase),
      ...(planned
        ? {
            todos: planned.todos,
            ...(planned.phase ? { name: planned.phase, place: findPlanPlace(mainPlan ?? '', planned.phase) } : {}),
            ...(planned.description ? { objective: planned.description } : {}),
          }
        : {}),
    },
    now,
  );
}

/** What the next phase sees of a phase that ended with a return. */
function receiveReturn({ start: { identity }, end }: PhaseState): Pick<PhaseRequest, 'received'> {
  if (end?.kind !== 'completed' || !end.returned) return {};
  const { phase, agent, state } = identity;
  return { received: { phase, agent: agent.name, state, outcome: end.outcome, result: end.returned.result } };
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
  mainPlan: string | undefined,
): JobDecision {
  const backoffs = Object.entries(job.timers).filter(([, timer]) => timer.kind === 'backoff');
  if (backoffs.some(([, timer]) => Date.parse(timer.dueAt) > now.getTime())) return NOTHING;
  const fired = backoffs.map(([timer]): JobEvent => ({ type: 'TimerFired', data: { timer } }));
  const current = foldJob(fired, job)!;
  // A completed phase is not repeated: only the decision about what follows it is made again. One that blocked the job is.
  const followUp =
    phase.end?.kind === 'completed' && !hasBlocked(current, phase)
      ? decideAfterPhase(current, phase, last.attempt, now, mainPlan)
      : dispatchWithinCaps(current, phase, buildRetryRequest(phase, attempt), now);
  return { job: [...fired, ...followUp.job], activePhase: [], ...(followUp.next ? { next: followUp.next } : {}) };
}

/** Whether the outcome of the phase ended the job as blocked. */
function hasBlocked({ definition }: JobState, { start, end }: PhaseState): boolean {
  const outcome = end?.kind === 'completed' ? end.outcome : '';
  const transition = definition.workflow.states[start.identity.state]?.outcomes[outcome];
  return transition !== undefined && 'end' in transition && transition.end === 'blocked';
}

function buildRetryRequest(phase: PhaseState, attempt: number): PhaseRequest {
  const { identity, plan } = phase.start;
  return {
    state: identity.state,
    attempt,
    // The list of a completed phase is done, so that of its beginning is worked on again.
    todos: phase.end?.kind === 'completed' ? plan.todos : phase.todos.list,
    name: identity.name,
    place: getPlanPlace(plan),
    received: plan.received,
    ...describePreviousFailure(phase),
    ...(plan.objective === undefined ? {} : { objective: plan.objective }),
  };
}

/** What the next attempt is told about the one before it, so that it does not repeat the mistake. */
function describePreviousFailure({ start, end }: PhaseState): Pick<PhaseRequest, 'previousFailure'> {
  if (end?.kind !== 'failed') return {};
  return { previousFailure: { phase: start.identity.phase, code: end.code, message: end.message } };
}

interface PhaseRequest {
  readonly state: string;
  readonly attempt: number;
  readonly todos?: readonly Todo[];
  readonly name?: string;
  readonly objective?: string;
  readonly place?: PlanPlace | undefined;
  readonly previousFailure?: PhaseEventData<'PhaseStarted'>['previousFailure'];
  /** What the phase before returned. */
  readonly received?: ReceivedReturn | undefined;
}

function dispatchWithinCaps(job: JobState, phase: PhaseState, request: PhaseRequest, now: Date): FollowUp {
  const cap = Math.min(getNextDefinition(job).workflow.caps.phases, job.budgets.maxPhases ?? Infinity);
  if (job.phases >= cap) return buildJobFailed('phase_limit', `the job reached its limit of ${cap} phases`);
  if (isPastDeadline(job, now)) return failAtDeadline(job);
  const next = dispatchPhase(job, { ...request, tree: phase.tree }, now);
  return { job: [next.dispatched, ...buildDeadlineTimer(job, next)], next };
}

function isPastDeadline(job: JobState, now: Date): boolean {
  return job.deadlineAt !== undefined && now.getTime() >= Date.parse(job.deadlineAt);
}

/** Fails a job that is past its deadline while its phase still runs. */
function failOverdueJob(job: JobState, phase: PhaseState, now: Date): JobDecision | undefined {
  // Waiting for an answer does not count as wall time.
  if (!isPastDeadline(job, now) || listCalls(phase).some(isAsking)) return undefined;
  const closingEvents = closePhase(phase, `the job passed its deadline ${job.deadlineAt}`);
  return {
    job: [{ type: 'PhaseEnded', data: buildPhaseEnded(phase, 'cancelled') }, ...failAtDeadline(job).job],
    activePhase: closingEvents,
  };
}

function failAtDeadline(job: JobState): FollowUp {
  const fired = Object.entries(job.timers)
    .filter(([, timer]) => timer.kind === 'deadline')
    .map(([timer]): JobEvent => ({ type: 'TimerFired', data: { timer } }));
  return { job: [...fired, ...buildJobFailed('wall_time_limit', `the job passed its deadline ${job.deadlineAt}`).job] };
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
    events.push({ type: 'PhaseEnded', data: buildPhaseEnded(phase, 'cancelled') });
  }
  events.push({ type: 'JobCancelled', data: request });
  return { job: events, activePhase: closingEvents };
}

/** Cancels a phase. Every open call gets a result that reports the cancellation, because a valid history has a result for every call. */
function closePhase(phase: PhaseState, reason: string): readonly PhaseEvent[] {
  const closed = listCalls(phase)
    .filter((call) => !hasCallEnded(call))
    .map((call): PhaseEvent => ({
      type: 'ToolCallFailed',
      data: {
        callId: call.callId,
        code: 'cancelled',
        message: 'The job was stopped before this call finished.',
        attempts: 0,
        durationMs: 0,
      },
    }));
  return [...closed, { type: 'PhaseCancelled', data: { reason } }];
}

/** Builds the job's record of an ended phase. For a phase `cancelled` by this decision, it contains what the phase has used so far. */
function buildPhaseEnded(phase: PhaseState, by?: 'cancelled'): JobEventData<'PhaseEnded'> {
  const { end, money, modelCall } = phase;
  const costMicroUsd = money.unconfirmed.costMicroUsd + (modelCall.open?.reservedMicroUsd ?? 0);
  const tokens = money.unconfirmed.tokens + (modelCall.open?.reservedTokens ?? 0);
  const base = {
    phase: phase.start.identity.phase,
    spending: money.spending,
    ...(costMicroUsd > 0 || tokens > 0 ? { unconfirmed: { costMicroUsd, tokens } } : {}),
  };
  if (end?.kind === 'completed') {
    const openTodos = listOpenObligations(phase.start.identity.phase, phase.todos.list);
    return {
      ...base,
      result: { kind: 'completed', outcome: end.outcome },
      ...(end.completion ? { completion: end.completion } : {}),
      ...(end.rewound ? { rewound: end.rewound } : {}),
      ...(openTodos.length > 0 ? { openTodos: [...openTodos] } : {}),
    };
  }
  if (end?.kind === 'failed') {
    const { code, message, retryable } = end;
    return { ...base, result: { kind: 'failed', failure: { code, message }, retryable } };
  }
  if (!end && by === undefined) throw new Error(`phase ${phase.start.identity.phase} has not ended`);
  return { ...base, result: { kind: 'cancelled' } };
}

/** Codes of the caps of a job: phases, wall time, tokens and cost. */
const CAP_CODES: ReadonlySet<string> = new Set(['phase_limit', 'wall_time_limit', 'token_limit', 'cost_limit']);

function buildJobFailed(code: string, message: string): FollowUp {
  const aborted = CAP_CODES.has(code) ? { end: 'aborted' as const } : {};
  return { job: [{ type: 'JobFailed', data: { code, message, ...aborted } }] };
}
