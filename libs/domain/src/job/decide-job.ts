import { awaitsApproval } from '../phase/due-work.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import { allCalls, hasEnded, type PhaseState } from '../phase/phase-state.js';
import { askPerson, nobodyCame } from '../stuck/ask-person.js';
import { leftBehind } from '../todo/obligation.js';
import { predefinedTodos } from '../todo/todo.js';
import { deadlineTimer, definitionFrom, dispatchPhase, firstPhase, type NextPhase } from './dispatch-phase.js';
import type { JobEvent, JobEventData } from './job-events.js';
import { decidingPhase, evolveJob, foldJob, jobHasEnded, type JobState, type LastPhase } from './job-state.js';

/** What is to be appended, all of it in one commit, and the phase that is then to be run. */
export interface JobDecision {
  readonly job: readonly JobEvent[];
  /** Facts for the stream of the phase that was active. */
  readonly activePhase: readonly PhaseEvent[];
  readonly next?: NextPhase;
}

const NOTHING: JobDecision = { job: [], activePhase: [] };

/** The wait before a phase is tried again doubles with every attempt, up to this, in milliseconds. */
const MAX_BACKOFF_MS = 3_600_000;

/**
 * Asks what a job does next. `phase` is the folded state of the phase that `decidingPhase` names, if it names one; `now`
 * decides which timers are due. An empty decision means that the job waits for its phase, a timer or a person, or has ended.
 */
export function decideJob(job: JobState, phase: PhaseState | undefined, now: Date): JobDecision {
  if (jobHasEnded(job)) return NOTHING;
  const needed = decidingPhase(job);
  if (needed !== undefined && !phase) throw new Error(`the decision needs phase ${needed}, which was not given`);
  if (job.cancelRequested) return cancel(job, job.active && phase, job.cancelRequested);
  if (job.paused) return { ...NOTHING, job: nobodyCame(job, now) };
  if (job.active && phase) {
    if (phase.end) return afterEnd(job, job.active.attempt, phase, now);
    return overdue(job, phase, now) ?? goOn(job, phase) ?? expireApprovals(phase, now);
  }
  if (job.retryAttempt === undefined || !job.last || !phase) return firstDecision(job, now);
  return tryAgain(job, job.retryAttempt, job.last, phase, now);
}

function firstDecision(job: JobState, now: Date): JobDecision {
  const next = firstPhase(job, now);
  return { job: [next.dispatched, ...deadlineTimer(job, next)], activePhase: [], next };
}

function afterEnd(job: JobState, attempt: number, phase: PhaseState, now: Date): JobDecision {
  const ended: JobEvent = { type: 'PhaseEnded', data: phaseEnded(phase) };
  const follow = afterPhase(evolveJob(job, ended), phase, attempt, now);
  return { job: [ended, ...follow.job], activePhase: [], ...(follow.next ? { next: follow.next } : {}) };
}

interface Follow {
  readonly job: readonly JobEvent[];
  readonly next?: NextPhase;
}

/** What follows a phase that has ended, by the workflow that it ran by. */
function afterPhase(job: JobState, phase: PhaseState, attempt: number, now: Date): Follow {
  const state = job.definition.workflow.states[phase.start.state];
  const end = phase.end;
  if (!state || !end || end.kind === 'cancelled') return fail('phase_cancelled', 'the phase was ended from outside');
  if (end.kind === 'failed') {
    const { code, message, retryable } = end;
    const alike = job.last?.sameFailures ?? 1;
    if (!retryable || attempt > state.retries || alike >= phase.start.limits.identicalFailures) {
      const tries = attempt > 1 ? ` after ${attempt} attempts` : '';
      const text = `phase ${phase.start.phase} (${phase.start.name}) failed${tries}: ${message}`;
      const asked = askPerson(phase, text, now);
      return asked ? { job: asked } : fail(code, text);
    }
    if (code === 'model_failed' && state.backoffMs > 0) return backOff(phase, attempt, state.backoffMs, now);
    return go(job, phase, again(phase, attempt + 1), now);
  }
  const transition = state.outcomes[end.outcome];
  if (!transition)
    return fail('unknown_outcome', `the workflow has no outcome ${end.outcome} in state ${phase.start.state}`);
  if ('end' in transition) {
    if (transition.end === 'failed')
      return fail('workflow_failed', `the outcome ${end.outcome} of ${phase.start.state} ends the job`);
    const completion = end.completion ?? { summary: '', deliverables: [], confidence: 1, notes: '' };
    return { job: [{ type: 'JobCompleted', data: completion }] };
  }
  const planned = end.plan;
  return go(
    job,
    phase,
    {
      state: transition.to,
      attempt: 1,
      ...(transition.todos ? { todos: predefinedTodos(transition.todos) } : {}),
      ...(planned ? { todos: planned.todos, ...(planned.phase ? { name: planned.phase } : {}) } : {}),
    },
    now,
  );
}

/** The timer behind which the phase is tried again. A server that is down is not helped by asking at once. */
function backOff(phase: PhaseState, attempt: number, backoffMs: number, now: Date): Follow {
  const waitMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2 ** (attempt - 1));
  const dueAt = new Date(now.getTime() + waitMs).toISOString();
  return { job: [{ type: 'TimerSet', data: { timer: `backoff-${phase.start.phase}`, kind: 'backoff', dueAt } }] };
}

/** Goes on from the last phase once nothing holds it back: a backoff that is over, or a person who asked for it. */
function tryAgain(job: JobState, attempt: number, last: LastPhase, phase: PhaseState, now: Date): JobDecision {
  const waits = Object.entries(job.timers).filter(([, timer]) => timer.kind === 'backoff');
  if (waits.some(([, timer]) => Date.parse(timer.dueAt) > now.getTime())) return NOTHING;
  const fired = waits.map(([timer]): JobEvent => ({ type: 'TimerFired', data: { timer } }));
  const current = foldJob(fired, job)!;
  // A phase that did its work is not done twice: only what follows it is decided anew.
  const follow =
    phase.end?.kind === 'completed'
      ? afterPhase(current, phase, last.attempt, now)
      : go(current, phase, again(phase, attempt), now);
  return { job: [...fired, ...follow.job], activePhase: [], ...(follow.next ? { next: follow.next } : {}) };
}

function again(phase: PhaseState, attempt: number): Wanted {
  return { state: phase.start.state, attempt, todos: phase.todos, name: phase.start.name };
}

interface Wanted {
  readonly state: string;
  readonly attempt: number;
  readonly todos?: PhaseState['todos'];
  readonly name?: string;
}

function go(job: JobState, phase: PhaseState, wanted: Wanted, now: Date): Follow {
  const cap = Math.min(definitionFrom(job).workflow.caps.phases, job.budgets.maxPhases ?? Infinity);
  if (job.phases >= cap) return fail('phase_cap', `the job used its ${cap} phases`);
  if (isOver(job, now)) return timeIsUp(job);
  const next = dispatchPhase(job, { ...wanted, tree: phase.tree }, now);
  return { job: [next.dispatched, ...deadlineTimer(job, next)], next };
}

function isOver(job: JobState, now: Date): boolean {
  return job.deadlineAt !== undefined && now.getTime() >= Date.parse(job.deadlineAt);
}

/** Ends a job whose wall time is over although its phase still runs. */
function overdue(job: JobState, phase: PhaseState, now: Date): JobDecision | undefined {
  if (!isOver(job, now)) return undefined;
  const closing = closePhase(phase, `the job's time ended at ${job.deadlineAt}`);
  return {
    job: [{ type: 'PhaseEnded', data: phaseEnded(phase, 'cancelled') }, ...timeIsUp(job).job],
    activePhase: closing,
  };
}

function timeIsUp(job: JobState): Follow {
  const fired = Object.entries(job.timers)
    .filter(([, timer]) => timer.kind === 'deadline')
    .map(([timer]): JobEvent => ({ type: 'TimerFired', data: { timer } }));
  return { job: [...fired, ...fail('wall_time_limit', `the job's time ended at ${job.deadlineAt}`).job] };
}

/** Lets a paused phase of a job that was resumed go on. Decided apart from the request: it may have to wait for a slot. */
function goOn(job: JobState, phase: PhaseState): JobDecision | undefined {
  if (!phase.paused) return undefined;
  const { deadlineAt, resumedBy = phase.paused.actor } = job;
  const continued: PhaseEvent = {
    type: 'PhaseContinued',
    data: { actor: resumedBy, ...(deadlineAt === undefined ? {} : { deadlineAt }) },
  };
  return { job: [], activePhase: [continued] };
}

function expireApprovals(phase: PhaseState, now: Date): JobDecision {
  const expired = allCalls(phase).filter(
    (call) => awaitsApproval(call) && Date.parse(call.expiresAt ?? '') <= now.getTime(),
  );
  const refused = expired.map(({ callId, expiresAt }): PhaseEvent => ({
    type: 'ApprovalRefused',
    data: { callId, actor: 'timer', reason: `nobody allowed it before ${expiresAt}.` },
  }));
  return { job: [], activePhase: refused };
}

function cancel(
  job: JobState,
  phase: PhaseState | undefined,
  request: JobEventData<'JobCancelRequested'>,
): JobDecision {
  const events: JobEvent[] = [];
  let closing: readonly PhaseEvent[] = [];
  if (phase) {
    closing = phase.end ? [] : closePhase(phase, request.reason);
    events.push({ type: 'PhaseEnded', data: phaseEnded(phase, 'cancelled') });
  }
  events.push({ type: 'JobCancelled', data: request });
  return { job: events, activePhase: closing };
}

/** Ends a phase from outside: every open call gets a result that says so, so that its history stays valid. */
function closePhase(phase: PhaseState, reason: string): readonly PhaseEvent[] {
  const closed = allCalls(phase)
    .filter((call) => !hasEnded(call))
    .map((call): PhaseEvent => ({
      type: 'ToolCallFailed',
      data: {
        callId: call.callId,
        code: 'cancelled',
        message: 'The job was stopped before this call ended.',
        attempts: 0,
        durationMs: 0,
      },
    }));
  return [...closed, { type: 'PhaseCancelled', data: { reason } }];
}

/** What the job takes of a phase; of one that is `cancelled` by this decision, what it has used so far. */
function phaseEnded(phase: PhaseState, by?: 'cancelled'): JobEventData<'PhaseEnded'> {
  const { end, spending, unsettled, openModelCall } = phase;
  const costMicroUsd = unsettled.costMicroUsd + (openModelCall?.reservedMicroUsd ?? 0);
  const tokens = unsettled.tokens + (openModelCall?.reservedTokens ?? 0);
  const base = {
    phase: phase.start.phase,
    spending,
    ...(costMicroUsd > 0 || tokens > 0 ? { unsettled: { costMicroUsd, tokens } } : {}),
  };
  if (end?.kind === 'completed') {
    const left = leftBehind(phase.start.phase, phase.todos);
    return {
      ...base,
      result: { kind: 'completed', outcome: end.outcome },
      ...(end.completion ? { completion: end.completion } : {}),
      ...(end.rewound ? { rewound: end.rewound } : {}),
      ...(left.length > 0 ? { left: [...left] } : {}),
    };
  }
  if (end?.kind === 'failed') {
    const { code, message, retryable } = end;
    return { ...base, result: { kind: 'failed', failure: { code, message }, retryable } };
  }
  if (!end && by === undefined) throw new Error(`phase ${phase.start.phase} has not ended`);
  return { ...base, result: { kind: 'cancelled' } };
}

function fail(code: string, message: string): Follow {
  return { job: [{ type: 'JobFailed', data: { code, message } }] };
}
