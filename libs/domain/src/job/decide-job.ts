import type { PhaseEvent } from '../phase/phase-events.js';
import { hasEnded, lastCalls, type PhaseState } from '../phase/phase-state.js';
import { dispatchPhase, firstPhase, type NextPhase } from './dispatch-phase.js';
import type { JobEvent, JobEventData } from './job-events.js';
import { evolveJob, jobHasEnded, type JobState } from './job-state.js';

/** What is to be appended, all of it in one commit, and the phase that is then to be run. */
export interface JobDecision {
  readonly job: readonly JobEvent[];
  /** Facts for the stream of the phase that was active. */
  readonly activePhase: readonly PhaseEvent[];
  readonly next?: NextPhase;
}

const NOTHING: JobDecision = { job: [], activePhase: [] };

/**
 * Asks what a job does next. `phase` is the folded state of its active phase, if it has one; `now` is only used for
 * the deadline of a job that starts. An empty decision means that the job waits for its phase, or has ended.
 */
export function decideJob(job: JobState, phase: PhaseState | undefined, now: Date): JobDecision {
  if (jobHasEnded(job)) return NOTHING;
  if (job.active && !phase) throw new Error(`phase ${job.active.phase} is active and was not given`);
  if (job.cancelRequested) return cancel(job, phase, job.cancelRequested);
  if (!job.active) return firstDecision(job, now);
  if (!phase?.end) return NOTHING;
  const ended: JobEvent = { type: 'PhaseEnded', data: phaseEnded(phase) };
  const follow = afterPhase(evolveJob(job, ended), phase, job.active.attempt);
  return { job: [ended, ...follow.job], activePhase: [], ...(follow.next ? { next: follow.next } : {}) };
}

/** Whether somebody may still ask for the job to end: returns the fact, or `undefined` when it has ended or was asked already. */
export function requestCancel(job: JobState, request: JobEventData<'JobCancelRequested'>): JobEvent | undefined {
  if (jobHasEnded(job) || job.cancelRequested) return undefined;
  return { type: 'JobCancelRequested', data: request };
}

function firstDecision(job: JobState, now: Date): JobDecision {
  const next = firstPhase(job, now);
  return { job: [next.dispatched], activePhase: [], next };
}

function afterPhase(job: JobState, phase: PhaseState, attempt: number): { job: readonly JobEvent[]; next?: NextPhase } {
  const { workflow } = job.submitted;
  const state = workflow.states[phase.start.state];
  const end = phase.end;
  if (!state || !end || end.kind === 'cancelled') return fail('phase_cancelled', 'the phase was ended from outside');
  if (end.kind === 'failed') {
    const { code, message, retryable } = end;
    if (!retryable || attempt > state.retries) {
      const tries = attempt > 1 ? ` after ${attempt} attempts` : '';
      return fail(code, `phase ${phase.start.phase} (${phase.start.name}) failed${tries}: ${message}`);
    }
    return go(job, phase, {
      state: phase.start.state,
      attempt: attempt + 1,
      todos: phase.todos,
      name: phase.start.name,
    });
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
  return go(job, phase, {
    state: transition.to,
    attempt: 1,
    ...(planned ? { todos: planned.todos, ...(planned.phase ? { name: planned.phase } : {}) } : {}),
  });
}

function go(
  job: JobState,
  phase: PhaseState,
  wanted: { state: string; attempt: number; todos?: PhaseState['todos']; name?: string },
): { job: readonly JobEvent[]; next?: NextPhase } {
  const cap = Math.min(job.submitted.workflow.caps.phases, job.submitted.budgets.maxPhases ?? Infinity);
  if (job.phases >= cap) return fail('phase_cap', `the job used its ${cap} phases`);
  const next = dispatchPhase(job, { ...wanted, tree: phase.tree });
  return { job: [next.dispatched], next };
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
    events.push({ type: 'PhaseEnded', data: phaseEnded(phase) });
  }
  events.push({ type: 'JobCancelled', data: request });
  return { job: events, activePhase: closing };
}

/** Ends a phase from outside: every open call gets a result that says so, so that its history stays valid. */
function closePhase(phase: PhaseState, reason: string): readonly PhaseEvent[] {
  const closed = lastCalls(phase)
    .filter((call) => !hasEnded(call))
    .map((call): PhaseEvent => ({
      type: 'ToolCallFailed',
      data: {
        callId: call.callId,
        code: 'cancelled',
        message: 'The job was cancelled before this call ended.',
        attempts: 0,
        durationMs: 0,
      },
    }));
  return [...closed, { type: 'PhaseCancelled', data: { reason } }];
}

function phaseEnded(phase: PhaseState): JobEventData<'PhaseEnded'> {
  const { end, spending } = phase;
  const base = { phase: phase.start.phase, spending };
  if (end?.kind === 'completed') {
    return {
      ...base,
      result: { kind: 'completed', outcome: end.outcome },
      ...(end.completion ? { completion: end.completion } : {}),
    };
  }
  if (end?.kind === 'failed') {
    const { code, message, retryable } = end;
    return { ...base, result: { kind: 'failed', failure: { code, message }, retryable } };
  }
  return { ...base, result: { kind: 'cancelled' } };
}

function fail(code: string, message: string): { job: readonly JobEvent[] } {
  return { job: [{ type: 'JobFailed', data: { code, message } }] };
}
