import { clip, toSingleLine } from '@phaseline/basics';
import { buildHandoffTimer, findOverdueHandoff } from '../handoff/handoff-timer.js';
import { buildHandoff, endHandoff, findMissingPrecondition } from '../handoff/issue-handoff.js';
import { findCurrentItem, type ItemState } from '../item/job-items.js';
import { listBlockedItems, moveItems } from '../item/move-items.js';
import { rollBack } from '../item/roll-back.js';
import { listCalls, type PhaseState } from '../phase/phase-state.js';
import { isAsking } from '../phase/state/calls.js';
import { describeBlockedItem, describeLastAttempt } from '../reflexion/describe-attempt.js';
import type { LastAttempt } from '../reflexion/last-attempt.js';
import type { PhaseReturn } from '../return/return-events.js';
import { createTodos } from '../todo/todo.js';
import type { Transition } from '../workflow/workflow.js';
import { buildPhaseEnded, closePhase } from './close-phase.js';
import { buildJobFailed, dispatchWithinCaps, type FollowUpRequest } from './dispatch-within-caps.js';
import { foldJob } from './evolve-job.js';
import type { DecisionFiles, FollowUp, JobDecision } from './job-decision.js';
import type { JobEvent } from './job-events.js';
import type { JobState } from './job-state.js';

/** A transition to another state. */
export type LeadingTransition = Extract<Transition, { readonly to: unknown }>;

interface Following {
  readonly now: Date;
  readonly files: DecisionFiles;
  readonly request?: Partial<FollowUpRequest>;
  /** Why the attempt at the item failed, if it did. */
  readonly failure?: string;
}

/**
 * Follows a transition: ends the handoff that the phase received, moves the items of the loop, hands over to the next agent, and dispatches
 * the next phase. A handoff that is refused returns to the state that works on items, as a failed attempt.
 */
export function followTransition(
  job: JobState,
  phase: PhaseState,
  transition: LeadingTransition,
  { now, files, request = {}, failure }: Following,
): FollowUp {
  const problem = findItemProblem(job, phase, transition);
  if (problem !== undefined) return buildJobFailed('workflow_failed', problem);
  const ended = endHandoff(job.handoff, phase, phase.end?.kind === 'completed' ? undefined : failure);
  const step = moveItems(job, phase, transition, failure);
  const before = [...ended, ...(step?.events ?? [])];
  const state = step?.state ?? transition.to;
  const tree = phase.tree;
  const receiver = { state, ...(step?.item ? { item: step.item } : {}) };
  // After the last item nobody receives it.
  const isLast = transition.none !== undefined && step?.state === transition.none;
  const handoff = transition.handoff && !isLast ? buildHandoff(job, phase, transition.handoff, receiver) : undefined;
  const missing = handoff && findMissingPrecondition(handoff, tree);
  if (handoff && missing !== undefined) {
    const refused: readonly JobEvent[] = [
      { type: 'HandoffIssued', data: { ...handoff, phase: phase.start.identity.phase } },
      { type: 'HandoffRefused', data: { handoff: handoff.handoff, reason: missing } },
    ];
    return returnHandoff(job, phase, [...before, ...refused], missing, { now, files });
  }
  const rolledBack =
    step?.rollBackTo !== undefined && files.itemTree
      ? rollBack(tree, files.itemTree, step.rollBackTo, job.handoff?.handoff)
      : undefined;
  const accepted: readonly JobEvent[] = handoff
    ? [
        { type: 'HandoffIssued', data: { ...handoff, phase: phase.start.identity.phase } },
        { type: 'HandoffAccepted', data: { handoff: handoff.handoff, phase: job.phases + 1 } },
      ]
    : [];
  const events = [...before, ...(rolledBack ? [rolledBack.event] : []), ...accepted];
  const moved = foldJob(events, job)!;
  const timer = handoff?.timeoutMs === undefined ? [] : [buildHandoffTimer(job.phases + 1, handoff.timeoutMs, now)];
  const followUp = dispatchWithinCaps(
    moved,
    phase,
    {
      state,
      attempt: 1,
      ...(transition.todos ? { todos: createTodos(transition.todos) } : {}),
      ...receiveReturn(phase),
      ...request,
      ...(step?.item ? { item: step.item } : {}),
      ...(handoff ? { handoff } : {}),
      lastAttempt: findRepeatedAttempt(job, phase, receiver, failure),
      ...(rolledBack ? { tree: rolledBack.tree } : {}),
    },
    now,
  );
  // A job that fails here records nothing of the transition, because a retry follows it again.
  return followUp.next ? { ...followUp, job: [...events, ...followUp.job, ...timer] } : followUp;
}

/** The failed attempt that the next phase makes again, at the same item or, without items, in the same state. */
function findRepeatedAttempt(
  { items }: JobState,
  phase: PhaseState,
  { state, item }: { readonly state: string; readonly item?: ItemState | undefined },
  failure: string | undefined,
): LastAttempt | undefined {
  const current = findCurrentItem(items);
  // An item that a person had reopened, and that begins now.
  if (item && item.id !== current?.id) return describeBlockedItem(item);
  if (failure === undefined) return undefined;
  if (item) return describeLastAttempt(phase, 'feature', failure);
  return state === phase.start.identity.state ? describeLastAttempt(phase, 'phase', failure) : undefined;
}

/** Explains why a transition cannot say what it says about the items; `undefined` if it can. A correct workflow never reaches that. */
function findItemProblem(job: JobState, phase: PhaseState, { item }: LeadingTransition): string | undefined {
  const { state } = phase.start.identity;
  if (item === 'listed') return phase.todos.listed ? undefined : `the phase of ${state} handed in no items`;
  if (item === undefined || findCurrentItem(job.items)) return undefined;
  return `the phase of ${state} ended with an item that is ${item}, but works on none`;
}

/** Returns a refused or overdue handoff to the state that works on items, as a failed attempt. */
function returnHandoff(
  job: JobState,
  phase: PhaseState,
  before: readonly JobEvent[],
  reason: string,
  { now, files }: Pick<Following, 'now' | 'files'>,
): FollowUp {
  const after = foldJob(before, job)!;
  const { items, states } = after.definition.workflow;
  const none = Object.values(states)
    .flatMap(({ outcomes }) => Object.values(outcomes))
    .flatMap((one) => ('to' in one && one.none !== undefined ? [one.none] : []))
    .at(0);
  if (!items || !findCurrentItem(after.items)) return buildJobFailed('handoff_refused', reason);
  const transition: LeadingTransition = {
    to: items.work,
    item: 'failed',
    gates: [],
    ...(none === undefined ? {} : { none }),
  };
  const followUp = followTransition(after, phase, transition, { now, files, failure: reason });
  return followUp.next ? { ...followUp, job: [...before, ...followUp.job] } : followUp;
}

/** Stops the receiver of a handoff that did not end in time. */
export function endOverdueHandoff(
  job: JobState,
  phase: PhaseState,
  now: Date,
  files: DecisionFiles,
): JobDecision | undefined {
  const { phase: number } = phase.start.identity;
  const timer = findOverdueHandoff(job, now);
  // Neither a pause nor the wait for an answer counts; both move the timer when they end.
  if (timer === undefined || phase.paused || listCalls(phase).some(isAsking)) return undefined;
  if (job.handoff?.receiver === undefined) return undefined;
  const reason = `the agent did not end within the ${job.handoff.timeoutMs} ms of the handoff`;
  const { handoff } = job.handoff;
  const ended: readonly JobEvent[] = [
    { type: 'TimerFired', data: { timer } },
    { type: 'PhaseEnded', data: buildPhaseEnded(job, phase, 'cancelled') },
    { type: 'HandoffTimedOut', data: { handoff, phase: number } },
  ];
  const followUp = returnHandoff(foldJob(ended, job)!, phase, [], reason, { now, files });
  return {
    job: [...ended, ...followUp.job],
    activePhase: closePhase(phase, reason),
    ...(followUp.next ? { next: followUp.next } : {}),
  };
}

/** Says why an attempt failed that the agent itself returned as failed. */
export function describeFailedAttempt(returned: PhaseReturn | undefined): string {
  const { reason, summary } = returned?.result ?? {};
  const text = typeof reason === 'string' ? reason : typeof summary === 'string' ? summary : '';
  return text === '' ? 'the agent returned that it failed' : clip(toSingleLine(text), 500);
}

/** What the next phase sees of a phase that ended with a return. */
function receiveReturn({ start: { identity }, end }: PhaseState): Pick<FollowUpRequest, 'received'> {
  if (end?.kind !== 'completed' || !end.returned) return {};
  const { phase, agent, state } = identity;
  return { received: { phase, agent: agent.name, state, outcome: end.outcome, result: end.returned.result } };
}

/** Continues a job that is retried because items were blocked: they are tried again, as often as the first time. */
export function reopenItems(job: JobState, phase: PhaseState, now: Date): FollowUp | undefined {
  const { items } = job.definition.workflow;
  const blocked = listBlockedItems(job.items);
  if (!items || blocked.length === 0 || !hasBlocked(job, phase)) return undefined;
  const ended = phase.start.identity.phase;
  const reopened = blocked.map(({ id }): JobEvent => ({
    type: 'ItemChanged',
    data: { id, phase: ended, status: 'pending', attempts: 0 },
  }));
  const next = blocked[0]!;
  const events: readonly JobEvent[] = [
    ...reopened,
    { type: 'ItemStarted', data: { id: next.id, phase: job.phases + 1 } },
  ];
  const after = foldJob(events, job)!;
  const item = findCurrentItem(after.items);
  const request = { ...(item ? { item } : {}), lastAttempt: describeBlockedItem(next) };
  const followUp = dispatchWithinCaps(after, phase, { state: items.work, attempt: 1, ...request }, now);
  return { ...followUp, job: [...events, ...followUp.job] };
}

/** Whether the outcome of the phase ended the job as blocked. */
export function hasBlocked({ definition }: JobState, { start, end }: PhaseState): boolean {
  const outcome = end?.kind === 'completed' ? end.outcome : '';
  const transition = definition.workflow.states[start.identity.state]?.outcomes[outcome];
  return transition !== undefined && 'end' in transition && transition.end === 'blocked';
}
