import { moveHandoffTimer } from '../handoff/handoff-timer.js';
import type { ControlDecision, RefusalCode } from './control-decision.js';
import type { JsonObject, JsonValue } from '@phaseline/basics';
import type { CallId } from '@phaseline/contracts';
import { isAsking, isAwaitingApproval, type AdmittedCall } from '../phase/state/calls.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import { listCalls, type PhaseState } from '../phase/phase-state.js';
import type { ParsedArguments } from '../phase/admit-call.js';
import { findAnswerProblem } from '../question/question.js';
import { isWaitingForPerson } from '../stuck/pause-for-person.js';
import type { Budgets } from '../agent/agent-definition.js';
import type { PhaseTree } from '../phase/state/tree.js';
import { findEndedWait, refuseEndedWait, type EndedWait } from './ended-wait.js';
import { applyEdits, editWorkspace, type FileEdit } from './edit-workspace.js';
import type { JobEvent } from './job-events.js';
import { hasJobEnded, hasJobFailed, type JobDefinition, type JobState } from './job-state.js';
import {
  overrideGuard,
  revokeGuardOverride,
  type OverrideRequest,
  type RevokeOverrideRequest,
} from '../guard/override-guard.js';
import { moveDeadlineAfterQuestion } from './question-deadline.js';

/** A request to control a job, made by a person or by a service acting for one. `actor` names who made it. */
export type ControlRequest = { readonly actor: string } & (
  | { readonly action: 'cancel' | 'pause' | 'resume'; readonly reason: string }
  | { readonly action: 'retry'; readonly reason: string; readonly budgets?: Budgets }
  | { readonly action: 'steer'; readonly message: string }
  | {
      readonly action: 'approve';
      readonly callId: CallId;
      /** Hash of the arguments that the person saw. The approval does not apply to others. */
      readonly argumentsHash: string;
      /** Arguments with which the call runs instead. */
      readonly amended?: JsonObject;
      /** Why the person approved the call. */
      readonly reason?: string;
    }
  | {
      readonly action: 'answer';
      readonly callId: CallId;
      /** Hash of the question that the person saw. The answer does not apply to another. */
      readonly questionHash: string;
      readonly answer: JsonValue;
    }
  | { readonly action: 'refuse'; readonly callId: CallId; readonly reason: string }
  | { readonly action: 'change-definition'; readonly definition: JobDefinition }
  | { readonly action: 'edit-file'; readonly edit: FileEdit }
  | OverrideRequest
  | RevokeOverrideRequest
);

/** What deciding on a request needs beside the state of the job. */
export interface ControlChecks {
  /** Returns the SHA-256 of arguments. */
  hashArguments(args: JsonObject): string;
  /** Checks arguments against the schema of their tool; undefined if the schema is not known here. */
  parseArguments(phase: PhaseState, name: string, args: JsonObject): ParsedArguments | undefined;
}

const NOTHING_TO_DO: ControlDecision = { kind: 'nothing-to-do' };

/**
 * Decides on a control request. `phase` is the active phase, if there is one and it has not ended. The edit of a file needs `tree`, the
 * files of the last phase.
 */
export function controlJob(
  job: JobState,
  phase: PhaseState | undefined,
  request: ControlRequest,
  now: Date,
  checks: ControlChecks,
  tree?: PhaseTree,
): ControlDecision {
  const { actor } = request;
  if (request.action === 'retry') {
    if (!hasJobFailed(job) && !isWaitingForPerson(job))
      return refuse(`only a failed, blocked or aborted job can be retried; this one is ${job.status}`);
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
      const pausedMs = measurePause(job.paused, phase, now);
      const changedDeadline =
        job.deadlineAt === undefined
          ? {}
          : { deadlineAt: new Date(Date.parse(job.deadlineAt) + pausedMs).toISOString() };
      // A separate decision continues the phase, because it may have to wait for a slot.
      return record([
        { type: 'JobResumed', data: { actor, reason: request.reason, ...changedDeadline } },
        ...moveHandoffTimer(job, pausedMs),
      ]);
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
      return decideApproval(phase, request, now, checks);
    case 'answer':
      return answerQuestion(job, phase, request, now);
    case 'edit-file':
      if (!tree) return refuse('its files cannot be edited before its next phase begins');
      return editWorkspace(applyEdits(tree, job.edits), phase, actor, request.edit, now);
    case 'override-guard':
      return overrideGuard(phase, actor, request, now);
    case 'revoke-guard-override':
      return revokeGuardOverride(job, phase, actor, request, now);
    case 'change-definition':
      return changeDefinition(job, actor, request.definition);
  }
}

function decideApproval(
  phase: PhaseState | undefined,
  request: Extract<ControlRequest, { action: 'approve' | 'refuse' }>,
  now: Date,
  checks: ControlChecks,
): ControlDecision {
  const { actor, callId } = request;
  const call = phase?.calls.byId[callId];
  if (!phase || !call || !isAwaitingApproval(call)) {
    const waiting = phase ? listCalls(phase).filter(isAwaitingApproval) : [];
    return refuseNotWaiting(
      `no call ${callId} waits for approval`,
      callId,
      findEndedWait(call, request.action),
      waiting.map((other) => other.callId),
    );
  }
  const { expiresAt } = call;
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime())
    return refuse(
      `the approval of the call ${callId} expired at ${expiresAt}; to tell the agent more, steer its job`,
      'deadline_passed',
    );
  if (request.action === 'refuse')
    return record([], [{ type: 'ApprovalRefused', data: { callId, actor, reason: request.reason } }]);
  return approveCall(phase, call, request, checks);
}

function approveCall(
  phase: PhaseState,
  call: AdmittedCall,
  { actor, callId, argumentsHash, amended, reason }: Extract<ControlRequest, { action: 'approve' }>,
  checks: ControlChecks,
): ControlDecision {
  const previousArgumentsHash = checks.hashArguments(call.arguments);
  if (argumentsHash !== previousArgumentsHash)
    return refuse(
      `the arguments of the call ${callId} are not those that were approved; read the call again`,
      'version_mismatch',
    );
  const because = reason === undefined ? {} : { reason };
  if (!amended) return record([], [{ type: 'ApprovalGranted', data: { callId, actor, argumentsHash, ...because } }]);
  const parsed = checks.parseArguments(phase, call.name, amended);
  if (parsed && 'problem' in parsed)
    return refuse(`the new arguments of ${call.name} are invalid: ${parsed.problem}`, 'invalid_arguments');
  if (parsed && parsed.ignoredArguments.length > 0)
    return refuse(`${call.name} has no argument ${parsed.ignoredArguments.join(', ')}`, 'invalid_arguments');
  const args = parsed?.arguments ?? amended;
  const newHash = checks.hashArguments(args);
  const isValidated = parsed !== undefined;
  return record(
    [],
    [
      {
        type: 'ToolCallAmended',
        data: { callId, actor, arguments: args, argumentsHash: newHash, previousArgumentsHash, isValidated },
      },
      { type: 'ApprovalGranted', data: { callId, actor, argumentsHash: newHash, ...because } },
    ],
  );
}

function answerQuestion(
  job: JobState,
  phase: PhaseState | undefined,
  { actor, callId, questionHash, answer }: Extract<ControlRequest, { action: 'answer' }>,
  now: Date,
): ControlDecision {
  const call = phase?.calls.byId[callId];
  if (!phase || !call || !isAsking(call)) {
    const waiting = phase ? listCalls(phase).filter(isAsking) : [];
    return refuseNotWaiting(
      `no question of a call ${callId} waits for an answer`,
      callId,
      findEndedWait(call, 'answer'),
      waiting.map((other) => other.callId),
    );
  }
  const { question } = call;
  if (Date.parse(question.deadlineAt) <= now.getTime())
    return refuse(
      `the question of the call ${callId} timed out at ${question.deadlineAt}; to tell the agent the answer anyway, steer its job`,
      'deadline_passed',
    );
  if (questionHash !== question.questionHash)
    return refuse(
      `the question of the call ${callId} is not the one that was answered; read it again`,
      'version_mismatch',
    );
  const problem = findAnswerProblem(question, answer);
  if (problem !== undefined) return refuse(`the answer does not fit the question: ${problem}`, 'invalid_answer');
  const moved = moveDeadlineAfterQuestion(job, phase, [call], now);
  return record(moved.forJob, [
    { type: 'QuestionAnswered', data: { callId, actor, answer, questionHash, ...moved.forPhase } },
  ]);
}

function changeDefinition(job: JobState, actor: string, definition: JobDefinition): ControlDecision {
  const current = job.nextDefinition ?? job.definition;
  if (hashesOf(current) === hashesOf(definition)) return NOTHING_TO_DO;
  if (definition.agent.name !== current.agent.name)
    return refuse(`the job runs the agent ${current.agent.name} and cannot switch to ${definition.agent.name}`);
  const missing = Object.keys(job.definition.workflow.states).filter((name) => !definition.workflow.states[name]);
  if (missing.length > 0)
    return refuse(`the newer workflow lacks states that the job may be in: ${missing.join(', ')}`);
  return record([{ type: 'JobDefinitionChanged', data: { actor, ...definition } }]);
}

/** The hashes of everything that a definition consists of. */
function hashesOf({ agentHash, workflowHash, agents = {} }: JobDefinition): string {
  const named = Object.entries(agents).map(([name, { hash }]) => `${name}:${hash}`);
  return [agentHash, workflowHash, ...named.sort()].join(' ');
}

/** Length in milliseconds of the pause that ends now, up to the first question that is still open: deadlines move by it. */
function measurePause(paused: NonNullable<JobState['paused']>, phase: PhaseState | undefined, now: Date): number {
  const pausedAt = Date.parse(paused.pausedAt);
  const asked = phase
    ? listCalls(phase)
        .filter(isAsking)
        .map(({ question }) => Date.parse(question.askedAt))
    : [];
  return Math.max(0, Math.min(now.getTime(), ...asked) - pausedAt);
}

function record(job: readonly JobEvent[], activePhase: readonly PhaseEvent[] = []): ControlDecision {
  return { kind: 'record', job, activePhase };
}

/** Refuses a decision about a call that does not wait, and names those that do. */
function refuseNotWaiting(
  reason: string,
  callId: CallId,
  end: EndedWait | undefined,
  waiting: readonly CallId[],
): ControlDecision {
  if (end) return refuseEndedWait(callId, end, waiting);
  const hint = waiting.length > 0 ? `; these do: ${waiting.join(', ')}` : '';
  return { ...refuse(`${reason}${hint}; see what waits in the inbox`, 'not_waiting'), waiting };
}

function refuse(reason: string, code?: RefusalCode): Extract<ControlDecision, { readonly kind: 'refused' }> {
  return { kind: 'refused', reason, ...(code ? { code } : {}) };
}
