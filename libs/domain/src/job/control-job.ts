import type { CallId } from '@phaseline/contracts';
import { isAwaitingApproval } from '../phase/state/calls.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import { listCalls, type PhaseState } from '../phase/phase-state.js';
import { isWaitingForPerson } from '../stuck/pause-for-person.js';
import type { Budgets } from '../agent/agent-definition.js';
import type { JobEvent } from './job-events.js';
import { hasJobEnded, type JobDefinition, type JobState } from './job-state.js';

/** A request to control a job, made by a person or by a service acting for one. `actor` names who made it. */
export type ControlRequest = { readonly actor: string } & (
  | { readonly action: 'cancel' | 'pause' | 'resume'; readonly reason: string }
  | { readonly action: 'retry'; readonly reason: string; readonly budgets?: Budgets }
  | { readonly action: 'steer'; readonly message: string }
  | { readonly action: 'approve'; readonly callId: CallId }
  | { readonly action: 'refuse'; readonly callId: CallId; readonly reason: string }
  | { readonly action: 'change-definition'; readonly definition: JobDefinition }
);

/** Events to record in one commit, or the reason why the job cannot take the request in its current state. */
export type ControlDecision =
  | { readonly kind: 'record'; readonly job: readonly JobEvent[]; readonly activePhase: readonly PhaseEvent[] }
  /** The job is already in the requested state. */
  | { readonly kind: 'nothing-to-do' }
  | { readonly kind: 'refused'; readonly reason: string };

const NOTHING_TO_DO: ControlDecision = { kind: 'nothing-to-do' };

/** Decides on a control request. `phase` is the active phase, if there is one and it has not ended. */
export function controlJob(
  job: JobState,
  phase: PhaseState | undefined,
  request: ControlRequest,
  now: Date,
): ControlDecision {
  const { actor } = request;
  if (request.action === 'retry') {
    if (job.status !== 'failed' && !isWaitingForPerson(job))
      return refuse(`only a failed job can be retried; this one is ${job.status}`);
    const { reason, budgets } = request;
    return record([{ type: 'JobRetried', data: { actor, reason, ...(budgets ? { budgets } : {}) } }]);
  }
  if (hasJobEnded(job)) return refuse(`the job has ended: it is ${job.status}`);
  switch (request.action) {
    case 'cancel':
      if (job.cancelRequested) return NOTHING_TO_DO;
      return record([{ type: 'JobCancelRequested', data: { actor, reason: request.reason } }]);
    case 'pause': {
      if (job.paused) return NOTHING_TO_DO;
      const { reason } = request;
      return record(
        [{ type: 'JobPaused', data: { actor, reason, pausedAt: now.toISOString() } }],
        phase ? [{ type: 'PhasePaused', data: { actor, reason } }] : [],
      );
    }
    case 'resume': {
      // The model is called immediately, and the waiting time starts from zero.
      if (!job.paused && phase?.modelCall.awaited) return record([], [{ type: 'PhaseResumed', data: { actor } }]);
      if (!job.paused) return NOTHING_TO_DO;
      const deadlineAt = shiftDeadline(job, now);
      const changedDeadline = deadlineAt === undefined ? {} : { deadlineAt };
      // A separate decision continues the phase, because it may have to wait for a slot.
      return record([{ type: 'JobResumed', data: { actor, reason: request.reason, ...changedDeadline } }]);
    }
    case 'steer': {
      const { message } = request;
      return record(
        [{ type: 'JobSteered', data: { actor, message, ...(phase ? { phase: phase.start.identity.phase } : {}) } }],
        phase ? [{ type: 'PhaseSteered', data: { actor, message } }] : [],
      );
    }
    case 'approve':
    case 'refuse':
      return decideApproval(phase, request);
    case 'change-definition':
      return changeDefinition(job, actor, request.definition);
  }
}

function decideApproval(
  phase: PhaseState | undefined,
  request: Extract<ControlRequest, { action: 'approve' | 'refuse' }>,
): ControlDecision {
  const { actor, callId } = request;
  const call = phase?.calls.byId[callId];
  if (!call || !isAwaitingApproval(call)) {
    const waiting = phase ? listCalls(phase).filter(isAwaitingApproval) : [];
    const hint = waiting.length > 0 ? `; these do: ${waiting.map((other) => other.callId).join(', ')}` : '';
    return refuse(`no call ${callId} waits for approval${hint}`);
  }
  return record(
    [],
    [
      request.action === 'approve'
        ? { type: 'ApprovalGranted', data: { callId, actor } }
        : { type: 'ApprovalRefused', data: { callId, actor, reason: request.reason } },
    ],
  );
}

function changeDefinition(job: JobState, actor: string, definition: JobDefinition): ControlDecision {
  const current = job.nextDefinition ?? job.definition;
  if (current.agentHash === definition.agentHash && current.workflowHash === definition.workflowHash)
    return NOTHING_TO_DO;
  if (definition.agent.name !== current.agent.name)
    return refuse(`the job runs the agent ${current.agent.name} and cannot switch to ${definition.agent.name}`);
  const missing = Object.keys(job.definition.workflow.states).filter((name) => !definition.workflow.states[name]);
  if (missing.length > 0)
    return refuse(`the newer workflow lacks states that the job may be in: ${missing.join(', ')}`);
  return record([{ type: 'JobDefinitionChanged', data: { actor, ...definition } }]);
}

/** Moves the deadline by the length of the pause that ends now. */
function shiftDeadline(job: JobState, now: Date): string | undefined {
  if (job.deadlineAt === undefined || !job.paused) return undefined;
  return new Date(Date.parse(job.deadlineAt) + now.getTime() - Date.parse(job.paused.pausedAt)).toISOString();
}

function record(job: readonly JobEvent[], activePhase: readonly PhaseEvent[] = []): ControlDecision {
  return { kind: 'record', job, activePhase };
}

function refuse(reason: string): ControlDecision {
  return { kind: 'refused', reason };
}
