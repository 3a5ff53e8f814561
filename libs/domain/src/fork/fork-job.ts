import type { ForkMode, JobId, Unrecorded } from '@phaseline/contracts';
import type { AgentDefinition, Budgets } from '../agent/agent-definition.js';
import { DEFAULT_WORKSPACE_SETTINGS, pickAgentSettings } from '../agent/agent-settings.js';
import { getStateAgent } from '../agent/state-agents.js';
import { pickToolFailures } from '../agent/tool-failures.js';
import { addSpending } from '../budget/spending.js';
import { selectOfferedTools } from '../discovery/select-offered-tools.js';
import {
  buildOutcomes,
  pickListing,
  computeAllowance,
  identifyAgent,
  pickReturns,
  pickVerifierNames,
} from '../job/dispatch-phase.js';
import type { JobEvent, JobEventData } from '../job/job-events.js';
import { hasJobEnded, type JobDefinition, type JobState } from '../job/job-state.js';
import { isAsking, isAwaitingApproval, type CallState } from '../phase/state/calls.js';
import { restartQuestion } from '../question/restart-question.js';
import type { PhaseEvent, PhaseEventData } from '../phase/phase-events.js';
import { listCalls, type PhaseState } from '../phase/phase-state.js';
import { listBlockedTodos } from '../todo/todo.js';
import { DEFAULT_STUCK_SETTINGS } from '../stuck/stuck-settings.js';
import { buildEditEvents } from '../job/edit-workspace.js';
import type { PhaseTree } from '../phase/state/tree.js';
import { INSTRUCTIONS_FILE, showInstructions } from '../return/agent-instructions.js';
import type { EditedResponse } from './fork-mode.js';
import { createForkedJob } from './create-forked-job.js';
import type { LimitChanges, ModelChanges } from './job-forked.js';
import { getRecording } from './get-recording.js';

export interface ForkRequest {
  readonly jobId: JobId;
  readonly actor: string;
  readonly requestHash: string;
  readonly mode: ForkMode;
  readonly unrecorded?: Unrecorded;
  readonly definition?: JobDefinition;
  /** Files with the instructions of its agents that differ from those with which the job began. */
  readonly instructions?: PhaseTree;
  readonly models?: ModelChanges;
  readonly limits?: LimitChanges;
  readonly budgets?: Budgets;
  readonly labels?: Readonly<Record<string, string>>;
  readonly response?: EditedResponse;
}

/** The point at which a job is forked: the state of the job, the phase that its next decision concerns, and the hashes that prove both. */
export interface ForkPoint {
  readonly position: number;
  readonly job: JobState;
  readonly parent: JobEventData<'JobForked'>['parent'];
  readonly phase?: { readonly state: PhaseState; readonly parent: PhaseEventData<'PhaseForked'>['parent'] };
}

/** Events with which a fork begins, in one commit, or the reason why the job cannot be forked at this point. */
export type ForkDecision =
  | { readonly kind: 'fork'; readonly job: readonly JobEvent[]; readonly phase: readonly PhaseEvent[] }
  | { readonly kind: 'refused'; readonly reason: string };

/** Decides on a fork of a job at a point. */
export function forkJob(point: ForkPoint, request: ForkRequest, now: Date): ForkDecision {
  const { job, phase } = point;
  if (hasJobEnded(job))
    return refuse(
      `the job had ended at that position (${job.status}), so nothing would follow; fork it at an earlier position`,
    );
  if (request.response && (!phase || phase.state.end))
    return refuse('no phase was running at that position, so there is no response to replace');
  const state = job.active?.state ?? job.last?.state;
  if (request.definition && state !== undefined && !request.definition.workflow.states[state])
    return refuse(`the workflow ${request.definition.workflow.name} has no state ${state}, which the job was in`);
  const deadlineAt = deadlineOf(request, job, now);
  const forked: Extract<JobEvent, { type: 'JobForked' }> = {
    type: 'JobForked',
    data: {
      jobId: request.jobId,
      actor: request.actor,
      requestHash: request.requestHash,
      parent: point.parent,
      position: point.position,
      mode: request.mode,
      ...(request.unrecorded ? { unrecorded: request.unrecorded } : {}),
      ...(request.definition ? { definition: request.definition } : {}),
      ...(request.instructions ? { instructions: request.instructions } : {}),
      ...(request.models ? { models: request.models } : {}),
      ...(request.limits ? { limits: request.limits } : {}),
      ...(request.budgets ? { budgets: request.budgets } : {}),
      labels: { ...(request.labels ?? job.submitted.labels) },
      ...(deadlineAt === undefined ? {} : { deadlineAt }),
      carried: snapshotParent(point, request),
    },
  };
  const timer: readonly JobEvent[] =
    deadlineAt === undefined
      ? []
      : [{ type: 'TimerSet', data: { timer: 'deadline-fork', kind: 'deadline', dueAt: deadlineAt } }];
  const events = [forked, ...timer];
  if (!phase) return { kind: 'fork', job: events, phase: [] };
  const fork = createForkedJob(job, forked.data);
  return {
    kind: 'fork',
    job: events,
    phase: [forkPhase(fork, phase, request, now), ...changeInstructions(fork, phase.state, request.actor)],
  };
}

/** Gives a running phase the instructions of its agent in the fork, unless a person or an agent has changed the file, and tells the model. */
function changeInstructions(fork: JobState, phase: PhaseState, actor: string): readonly PhaseEvent[] {
  if (phase.end || !fork.replacedInstructions) return [];
  const { name } = getAgentOfPhase(fork, phase);
  const tree = showInstructions(phase.tree, fork.submitted.tree, fork.definition, name, fork.replacedInstructions);
  const file = tree[INSTRUCTIONS_FILE];
  if (!file || file.hash === phase.tree[INSTRUCTIONS_FILE]?.hash) return [];
  return buildEditEvents({ actor, path: INSTRUCTIONS_FILE, file });
}

function forkPhase(
  fork: JobState,
  { state, parent }: NonNullable<ForkPoint['phase']>,
  request: ForkRequest,
  now: Date,
): PhaseEvent {
  const { approvals } = getAgentOfPhase(fork, state);
  const calls = listCalls(state);
  const approvalsExpireAt = new Date(now.getTime() + approvals.expireAfterMs).toISOString();
  const questionsAskedAt = now.toISOString();
  const blockedTodos = state.end ? [] : listBlockedTodos(state.todos.list).map(({ id }) => id);
  const waiting = calls.flatMap((call) => describeWaiting(call, approvalsExpireAt, questionsAskedAt) ?? []);
  return {
    type: 'PhaseForked',
    data: {
      jobId: request.jobId,
      phase: state.start.identity.phase,
      parent,
      changes: phaseChanges(fork, state, request),
      allowance: computeAllowance(fork, now),
      ...getRecording(fork),
      ...(request.response ? { editedResponse: request.response } : {}),
      ...(calls.some(isAwaitingApproval) ? { approvalsExpireAt } : {}),
      ...(calls.some(isAsking) ? { questionsAskedAt } : {}),
      ...(waiting.length > 0 ? { waiting } : {}),
      ...(blockedTodos.length > 0 ? { blockedTodos } : {}),
    },
  };
}

type WaitingCall = NonNullable<PhaseEventData<'PhaseForked'>['waiting']>[number];

function describeWaiting(
  call: CallState,
  approvalsExpireAt: string,
  questionsAskedAt: string,
): WaitingCall | undefined {
  if (isAwaitingApproval(call)) {
    const { callId, name, lane } = call;
    return { kind: 'approval', callId, name, lane, deadlineAt: approvalsExpireAt };
  }
  if (!isAsking(call)) return undefined;
  const { callId, name, lane, question } = call;
  return { kind: 'question', callId, name, lane, deadlineAt: restartQuestion(question, questionsAskedAt).deadlineAt };
}

/** Returns the terms that change for the running phase at the point of the fork. */
function phaseChanges(
  fork: JobState,
  { start }: PhaseState,
  request: ForkRequest,
): PhaseEventData<'PhaseForked'>['changes'] {
  const { workflow } = fork.definition;
  const agent = getAgentOfPhase(fork, { start });
  const { kind, state: stateName } = start.identity;
  const state = workflow.states[stateName];
  if (!request.definition || !state) {
    const terms = {
      ...(request.models?.[kind] === undefined ? {} : { model: agent.models[kind] }),
      ...(request.limits ? { limits: agent.limits } : {}),
    };
    return Object.keys(terms).length > 0 ? { terms } : {};
  }
  return {
    identity: identifyAgent(agent, fork.definition),
    terms: {
      // Set even if the agent has none: an absent member would keep the old value.
      ...(start.terms.stuck ? { stuck: DEFAULT_STUCK_SETTINGS } : {}),
      ...(start.terms.settings ? { settings: {} } : {}),
      ...(start.terms.onDemand ? { onDemand: [] } : {}),
      ...(start.terms.promptTexts ? { promptTexts: {} } : {}),
      ...(start.terms.schemas ? { schemas: {} } : {}),
      ...(start.terms.reasoningEffort ? { reasoningEffort: {} } : {}),
      ...(start.terms.temperature ? { temperature: {} } : {}),
      ...(start.terms.workspace ? { workspace: DEFAULT_WORKSPACE_SETTINGS } : {}),
      ...(start.terms.toolFailures ? { toolFailures: {} } : {}),
      ...pickAgentSettings(agent),
      ...pickToolFailures(agent),
      model: agent.models[kind],
      ...selectOfferedTools(agent, kind, state),
      ...(start.terms.verifiers ? { verifiers: [] } : {}),
      ...pickVerifierNames(agent, fork.submitted),
      ...replaceAgentGuards(start.terms.guards, agent.guards),
    },
    plan: {
      limits: agent.todos,
      deliverables: agent.deliverables,
      archive: state.archive,
      ...pickReturns(agent, state),
      ...pickListing(state, fork.definition, fork.submitted),
    },
    routes: buildOutcomes(state, start.plan.obligations !== undefined, { agent, item: start.plan.item }),
  };
}

/** The agent of the phase in the fork. A state that the fork's workflow does not have is that of the job's agent. */
function getAgentOfPhase({ definition }: JobState, { start }: Pick<PhaseState, 'start'>): AgentDefinition {
  return getStateAgent(definition, definition.workflow.states[start.identity.state] ?? {});
}

/** The guards of the installation and the tenant stay; those of the agent are those of its new definition. */
function replaceAgentGuards(before: Guards, own: Guards): { readonly guards?: NonNullable<Guards> } {
  if (!before && !own) return {};
  return { guards: [...(before ?? []).filter(({ scope }) => scope !== 'agent'), ...(own ?? [])] };
}

type Guards = PhaseState['start']['terms']['guards'];

/** Wall time starts from zero in a fork. A recorded fork only replays and has no deadline. */
function deadlineOf(request: ForkRequest, job: JobState, now: Date): string | undefined {
  const { maxWallTimeMs } = request.budgets ?? job.budgets;
  if (maxWallTimeMs === undefined || request.mode === 'recorded' || job.phases === 0) return undefined;
  return new Date(now.getTime() + maxWallTimeMs).toISOString();
}

function snapshotParent({ job, phase }: ForkPoint, request: ForkRequest): JobEventData<'JobForked'>['carried'] {
  const start = phase?.state.start;
  return {
    agent: (request.definition ?? job.definition).agent.name,
    tenant: job.submitted.tenant,
    spending: job.active && phase ? addSpending(job.spending, phase.state.money.spending) : job.spending,
    ...(phase && start
      ? {
          phase: {
            number: start.identity.phase,
            kind: start.identity.kind,
            state: start.identity.state,
            name: start.identity.name,
            todosDone: phase.state.todos.list.filter((todo) => todo.status === 'done').length,
            todosTotal: phase.state.todos.list.length,
          },
        }
      : {}),
  };
}

function refuse(reason: string): ForkDecision {
  return { kind: 'refused', reason };
}
