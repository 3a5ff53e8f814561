import { DIFF_REVIEW, type Check } from '@phaseline/checks';
import type { AgentDefinition } from '../agent/agent-definition.js';
import { pickAgentSettings } from '../agent/agent-settings.js';
import { getStateAgent } from '../agent/state-agents.js';
import { pickToolFailures } from '../agent/tool-failures.js';
import type { Allowance } from '../budget/allowance.js';
import { narrowLimits } from '../budget/job-limits.js';
import { buildTurnAllowance, FIRST_TURN } from '../budget/turn.js';
import { selectOfferedTools } from '../discovery/select-offered-tools.js';
import { listAttemptedChanges } from '../claim/attempted-changes.js';
import { getRecording } from '../fork/get-recording.js';
import type { Guard } from '../guard/guard.js';
import type { GuardOverride } from '../guard/guard-events.js';
import { listCurrentOverrides } from '../guard/current-overrides.js';
import { selectGuards } from '../guard/select-guards.js';
import type { Handoff } from '../handoff/handoff-events.js';
import { INPUT_LIST } from '../item/input-list.js';
import type { ItemState } from '../item/job-items.js';
import type { ProtectedField } from '../workspace/protected-fields.js';
import type { PhaseEvent, PhaseEventData } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import type { PlanPlace } from '../todo/plan-place.js';
import type { LastAttempt } from '../reflexion/last-attempt.js';
import { showInstructions } from '../return/agent-instructions.js';
import type { ReceivedReturn } from '../return/return-events.js';
import type { Todo } from '../todo/todo.js';
import { createWorkflowTodos } from '../todo/workflow-todos.js';
import { listsItems, type PhaseKind, type Transition, type WorkflowState } from '../workflow/workflow.js';
import { applyEdits } from './edit-workspace.js';
import type { JobEvent } from './job-events.js';
import type { JobDefinition, JobState } from './job-state.js';
import { removeCoveredTodos, pickOwedTodos } from './owed-todos.js';

/** The next phase: the event for the job's stream and the first event of the phase's own stream. */
export interface NextPhase {
  readonly phase: number;
  readonly kind: PhaseKind;
  readonly dispatched: Extract<JobEvent, { type: 'PhaseDispatched' }>;
  readonly started: Extract<PhaseEvent, { type: 'PhaseStarted' }>;
}

/** A phase to dispatch. */
export interface PhaseRequest {
  readonly state: string;
  readonly attempt: number;
  /** Absent when the phase uses the workflow's predefined todos. */
  readonly todos?: readonly Todo[];
  readonly name?: string;
  /** Objective of the phase, if its plan stated one. */
  readonly objective?: string;
  /** Place of the phase in the plan of the job, if it could be counted. */
  readonly place?: PlanPlace | undefined;
  readonly tree: PhaseState['tree'];
  /** What the phase before returned. */
  readonly received?: ReceivedReturn | undefined;
  /** The item that the phase works on. */
  readonly item?: ItemState | undefined;
  /** What was handed over to the phase. */
  readonly handoff?: Handoff | undefined;
  /** The attempt before this one, if it failed. */
  readonly failed?: PhaseState | undefined;
  /** The failed attempt that the phase makes again. */
  readonly lastAttempt?: LastAttempt | undefined;
}

/** Builds the phase for the workflow's first state. */
export function buildFirstPhase(job: JobState, now: Date): NextPhase {
  const { workflow } = getNextDefinition(job);
  return dispatchPhase(
    job,
    { state: workflow.start, attempt: 1, tree: { ...job.submitted.tree, ...job.repository?.imported?.tree } },
    now,
  );
}

/** The definition under which the next phase runs. */
export function getNextDefinition(job: JobState): JobDefinition {
  return job.nextDefinition ?? job.definition;
}

/** The timer for the job's deadline, if the dispatched phase is the one that starts the clock. */
export function buildDeadlineTimer(job: JobState, next: NextPhase): readonly JobEvent[] {
  const { deadlineAt } = next.dispatched.data.allowance;
  if (deadlineAt === undefined || job.deadlineAt !== undefined) return [];
  return [{ type: 'TimerSet', data: { timer: `deadline-${next.phase}`, kind: 'deadline', dueAt: deadlineAt } }];
}

/** Builds the phase for the requested state, with what the job may still spend. */
export function dispatchPhase(job: JobState, request: PhaseRequest, now: Date): NextPhase {
  const { submitted } = job;
  const definition = getNextDefinition(job);
  const { workflow } = definition;
  const state = workflow.states[request.state];
  if (!state) throw new Error(`the workflow ${workflow.name} has no state ${request.state}`);
  const agent = getStateAgent(definition, state);
  const shown = showInstructions(request.tree, submitted.tree, definition, agent.name, job.replacedInstructions);
  const tree = applyEdits(shown, job.edits);
  const phase = job.phases + 1;
  const { kind } = state;
  const offered = selectOfferedTools(agent, kind, state);
  const todos = [...(request.todos ?? workflowTodos(state, offered.tools))];
  const name = request.name ?? state.title;
  const allowance = computeAllowance(job, now);
  const dispatched = { phase, attempt: request.attempt, state: request.state, kind, name, todos, allowance };
  const owed = pickOwedTodos({ ...job, ...removeCoveredTodos(job, dispatched) });
  return {
    phase,
    kind,
    dispatched: { type: 'PhaseDispatched', data: dispatched },
    started: {
      type: 'PhaseStarted',
      data: {
        identity: {
          jobId: submitted.jobId,
          phase,
          attempt: request.attempt,
          state: request.state,
          kind,
          name,
          ...identifyAgent(agent, definition),
          ...(submitted.priority > 0 ? { priority: submitted.priority } : {}),
        },
        terms: {
          ...pickAgentSettings(agent),
          ...protectItemFiles(agent, workflow),
          allowance,
          model: agent.models[kind],
          ...pickToolFailures(agent),
          ...offered,
          ...(agent.skills ? { skills: agent.skills } : {}),
          ...pickVerifierNames(agent, submitted),
          ...pickGuards(agent.guards, workflow.name),
          ...pickOverrides(job, now),
        },
        plan: {
          ...pickObjective(request, state),
          ...(state.shows ? { shows: state.shows } : {}),
          todos,
          limits: agent.todos,
          deliverables: agent.deliverables,
          archive: state.archive,
          ...pickReturns(agent, state),
          ...(request.received ? { received: request.received } : {}),
          ...(request.item ? { item: request.item } : {}),
          ...pickListing(state, definition, submitted),
          ...(request.handoff ? { handoff: request.handoff } : {}),
          ...(request.lastAttempt && agent.reflexion ? { lastAttempt: request.lastAttempt } : {}),
          ...(request.item ? pickHealth(agent) : {}),
          claimRules: 2,
          ...(state.controller ? { controller: state.controller } : {}),
          ...request.place,
          ...owed,
        },
        routes: buildOutcomes(state, owed.obligations !== undefined, { agent, item: request.item }),
        workspace: { tree, ...continueChanges(request.failed, tree) },
        ...describeFailure(request.failed),
        ...(job.notices.length > 0 ? { notices: [...job.notices] } : {}),
        ...getRecording(job),
      },
    },
  };
}

function pickObjective(request: PhaseRequest, state: WorkflowState): Pick<PhaseState['start']['plan'], 'objective'> {
  const objective = request.objective ?? state.objective;
  return objective === undefined ? {} : { objective };
}

/** What the next attempt is told about the one before it, so that it does not repeat the mistake. */
function describeFailure(failed: PhaseState | undefined): Pick<PhaseEventData<'PhaseStarted'>, 'previousFailure'> {
  if (failed?.end?.kind !== 'failed') return {};
  const { code, message } = failed.end;
  return { previousFailure: { phase: failed.start.identity.phase, code, message } };
}

/** The files that attempts before this one changed. They continue the list of todos, so they did part of its work. */
function continueChanges(
  failed: PhaseState | undefined,
  tree: PhaseState['tree'],
): Pick<PhaseState['start']['workspace'], 'attempted'> {
  const attempted = failed && listAttemptedChanges(failed, tree);
  return attempted ? { attempted } : {};
}

/** Overrides of guards that are still current. Later ones reach the phase as events. */
function pickOverrides({ guardOverrides = [] }: JobState, now: Date): { readonly guardOverrides?: GuardOverride[] } {
  const current = listCurrentOverrides(guardOverrides, now);
  return current.length > 0 ? { guardOverrides: [...current] } : {};
}

/** The agent of a phase, and whether it is another one than that of the job. */
export function identifyAgent(
  { name, displayName, description }: AgentDefinition,
  ofJob: JobDefinition,
): Pick<PhaseState['start']['identity'], 'agent' | 'isSubagent'> {
  return { agent: { name, displayName, description }, ...(name === ofJob.agent.name ? {} : { isSubagent: true }) };
}

/** What a phase returns: what its agent declares, where the state names the agent. */
export function pickReturns(
  { returns }: AgentDefinition,
  { agent }: WorkflowState,
): Pick<PhaseState['start']['plan'], 'returns'> {
  return agent !== undefined && returns ? { returns } : {};
}

/** What the checks of an outcome depend on, besides the workflow. */
interface OutcomeContext {
  readonly agent?: AgentDefinition | undefined;
  readonly item?: Pick<ItemState, 'checks'> | undefined;
}

/** What is verified before the work on an item begins, so that the agent does not take an old defect for its own. */
function pickHealth({ verifiers = [] }: AgentDefinition): Pick<PhaseState['start']['plan'], 'health'> {
  const health = verifiers.flatMap(({ name, kind }) => (kind === 'health' ? [name] : []));
  return health.length > 0 ? { health } : {};
}

/** Who hands over has no lint errors, where the agent has a verifier that finds them. */
function listLints({ verifiers = [] }: AgentDefinition): readonly Check[] {
  return verifiers.flatMap(({ name, kind }) => (kind === 'lint' ? [{ verifier: name }] : []));
}

/** What proves an item: each verifier that its checks name, and a judge that has no objection to the change. */
function listProofs({ checks }: Pick<ItemState, 'checks'>): readonly Check[] {
  const verifiers = [...new Set(checks.map(({ verifier }) => verifier))];
  return [...verifiers.map((proof) => ({ proof })), { judge: DIFF_REVIEW }];
}

/** For a state that hands in the items of the loop: the verifiers that may prove them, which are those of the agents that test. */
export function pickListing(
  state: WorkflowState,
  definition: JobDefinition,
  { verifiers: submitted = {} }: JobState['submitted'],
): Pick<PhaseState['start']['plan'], 'listing'> {
  if (!listsItems(state)) return {};
  const testing = Object.values(definition.workflow.states).filter(({ outcomes }) =>
    Object.values(outcomes).some(({ item }) => item === 'tested'),
  );
  const own = testing.flatMap((one) => getStateAgent(definition, one).verifiers ?? []);
  const names = [...new Set([...own.map(({ name }) => name), ...Object.keys(submitted)])].sort();
  const verifiers = names.map((name) => {
    const { kind } = { ...own.find((one) => one.name === name), ...submitted[name] };
    return { name, ...(kind === undefined ? {} : { kind }) };
  });
  return { listing: { verifiers } };
}

/** The files about the items, which only the system writes, and the list with which the job came, in addition to what the agent protects. */
function protectItemFiles(
  { protected: own = [] }: AgentDefinition,
  { items }: JobDefinition['workflow'],
): { readonly protected?: ProtectedField[] } {
  if (!items) return {};
  const files = [items.file, items.session, INPUT_LIST].map((file) => ({ file, writer: 'machine' as const }));
  return { protected: [...own, ...files] };
}

/** The names of the verifiers that checks may name: those of the agent, and those that the submission adds. */
export function pickVerifierNames(
  { verifiers: own = [] }: JobDefinition['agent'],
  { verifiers: submitted = {} }: JobState['submitted'],
): { readonly verifiers?: string[] } {
  const names = [...new Set([...own.map(({ name }) => name), ...Object.keys(submitted)])];
  return names.length > 0 ? { verifiers: names.sort() } : {};
}

/** The guards of the agent that apply to the workflow. */
function pickGuards(own: readonly Guard[] | undefined, workflow: string): { readonly guards?: Guard[] } {
  const guards = selectGuards(own ?? [], workflow);
  return guards.length > 0 ? { guards: [...guards] } : {};
}

/**
 * Adds the guards of the installation and the tenant to a phase that is about to be dispatched. They become part of its start, so that the phase and its
 * replays use these versions, whatever changes later.
 */
export function addSharedGuards(next: NextPhase, shared: readonly Guard[], workflow: string): NextPhase {
  const added = selectGuards(shared, workflow);
  if (added.length === 0) return next;
  const { data } = next.started;
  const guards = [...added, ...(data.terms.guards ?? [])];
  return { ...next, started: { ...next.started, data: { ...data, terms: { ...data.terms, guards } } } };
}

function workflowTodos(state: WorkflowState, offered: readonly string[]): readonly Todo[] {
  if (state.todos === undefined) return [];
  // The schema allows todos from the file only behind the gate that checks the file.
  if (state.todos === 'from-file')
    throw new Error('a state that takes its todos from the file was reached without a plan');
  return createWorkflowTodos(state.todos, offered);
}

type Outcome = NonNullable<PhaseState['start']['routes']['finish']>;

/**
 * The possible outcomes of a phase in that state, each with its gates. A job with open obligations cannot be completed, and an item counts as
 * tested only with its proofs.
 */
export function buildOutcomes(
  state: WorkflowState,
  owes: boolean,
  { agent, item }: OutcomeContext = {},
): PhaseState['start']['routes'] {
  const outcomeOf = (outcome: string): Outcome => {
    const transition = state.outcomes[outcome];
    const completes = transition !== undefined && 'end' in transition && transition.end === 'completed';
    const gates = transition?.gates ?? [];
    // A plan is not exhausted while the job has open obligations.
    const requiresNothingOwed = completes || outcome === state.exhausted;
    const { when, early } = transition ?? {};
    const checks = [
      ...(transition?.checks ?? []),
      ...(agent && transition && 'handoff' in transition ? listLints(agent) : []),
      ...(item && transition?.item === 'tested' ? listProofs(item) : []),
    ];
    return {
      outcome,
      gates: owes && requiresNothingOwed ? ['obligations', ...gates] : gates,
      ...(checks.length > 0 ? { checks } : {}),
      ...(when && when !== 'returned' ? { when } : {}),
      ...(state.controller ? { when: [buildDecisionCheck(state.controller.tool, outcome)] } : {}),
      ...(early ? { early } : {}),
    };
  };
  const chosenBy = (isChosen: (when: Transition['when']) => boolean): Outcome[] =>
    Object.entries(state.outcomes).flatMap(([name, { when }]) => (isChosen(when) ? [outcomeOf(name)] : []));
  const returned = chosenBy((when) => when === 'returned');
  const byValue = chosenBy((when) => state.controller !== undefined || (when !== undefined && when !== 'returned'));
  return {
    ...(state.finish === undefined ? {} : { finish: outcomeOf(state.finish) }),
    ...(state.completion === undefined ? {} : { completion: outcomeOf(state.completion) }),
    ...(state.exhausted === undefined ? {} : { exhausted: outcomeOf(state.exhausted) }),
    ...(state.rewind === undefined ? {} : { rewind: outcomeOf(state.rewind) }),
    ...(returned.length > 0 ? { returned } : {}),
    ...(byValue.length > 0 ? { byValue } : {}),
  };
}

/** The recorded decision of a controller, as the check by which its outcome is chosen: the call is its evidence. */
function buildDecisionCheck(tool: string, outcome: string): Check {
  return { call: { tool, result: { outcome }, since: 'phase' } };
}

/** What the job may still use: its budgets minus what ended phases have used, never below zero. */
export function computeAllowance(job: JobState, now: Date): Allowance {
  const { maxCostUsd, maxTokens, maxWallTimeMs } = job.budgets;
  const { spending, unconfirmed } = job;
  const { turns, dailyBudget } = narrowLimits(getNextDefinition(job).agent, job.submitted);
  const { tenant, actor } = job.submitted;
  const deadlineAt = job.deadlineAt ?? (maxWallTimeMs === undefined ? undefined : addWallTime(now, maxWallTimeMs));
  return {
    ...(maxCostUsd === undefined
      ? {}
      : {
          costMicroUsd: Math.max(
            0,
            Math.min(Math.round(maxCostUsd * 1_000_000), Number.MAX_SAFE_INTEGER) -
              spending.costMicroUsd -
              unconfirmed.costMicroUsd,
          ),
        }),
    ...(maxTokens === undefined
      ? {}
      : { tokens: Math.max(0, maxTokens - spending.inputTokens - spending.outputTokens - unconfirmed.tokens) }),
    ...(deadlineAt === undefined ? {} : { deadlineAt }),
    ...(dailyBudget
      ? { daily: { tenant, actor, zone: dailyBudget.zone, costMicroUsd: Math.round(dailyBudget.costUsd * 1_000_000) } }
      : {}),
    ...(turns ? { turn: buildTurnAllowance(job.turn ?? FIRST_TURN, turns) } : {}),
  };
}

/** Latest date that an event can hold. A longer time budget is cut to this date. */
const MAX_TIMESTAMP_MS = Date.UTC(9999, 11, 31);

function addWallTime(now: Date, maxWallTimeMs: number): string {
  return new Date(Math.min(now.getTime() + maxWallTimeMs, MAX_TIMESTAMP_MS)).toISOString();
}
