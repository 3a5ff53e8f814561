import { offeredIn } from '../discovery/offered-in.js';
import { recordingOf } from '../fork/recording-of.js';
import type { Allowance, PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import { predefinedTodos, type Todo } from '../todo/todo.js';
import type { PhaseKind, WorkflowState } from '../workflow/workflow.js';
import type { JobEvent } from './job-events.js';
import type { JobDefinition, JobState } from './job-state.js';
import { owedAfterDispatch, owedTodosOf } from './owed-todos.js';

/** A phase that was decided: the fact for the job's stream, and the first fact of the phase's own. */
export interface NextPhase {
  readonly phase: number;
  readonly kind: PhaseKind;
  readonly dispatched: Extract<JobEvent, { type: 'PhaseDispatched' }>;
  readonly started: Extract<PhaseEvent, { type: 'PhaseStarted' }>;
}

interface Wanted {
  readonly state: string;
  readonly attempt: number;
  /** Absent where the workflow's predefined todos are meant. */
  readonly todos?: readonly Todo[];
  readonly name?: string;
  readonly tree: PhaseState['tree'];
}

/** The phase in the workflow's first state. */
export function firstPhase(job: JobState, now: Date): NextPhase {
  const { workflow } = definitionFrom(job);
  return dispatchPhase(job, { state: workflow.start, attempt: 1, tree: job.submitted.tree }, now);
}

/** What the next phase runs by. */
export function definitionFrom(job: JobState): JobDefinition {
  return job.nextDefinition ?? job.definition;
}

/** The timer of the job's wall time, where the phase that is dispatched starts it. */
export function deadlineTimer(job: JobState, next: NextPhase): readonly JobEvent[] {
  const { deadlineAt } = next.dispatched.data.allowance;
  if (deadlineAt === undefined || job.deadlineAt !== undefined) return [];
  return [{ type: 'TimerSet', data: { timer: `deadline-${next.phase}`, kind: 'deadline', dueAt: deadlineAt } }];
}

/** The phase in the wanted state, with what the job may still spend. */
export function dispatchPhase(job: JobState, wanted: Wanted, now: Date): NextPhase {
  const { submitted } = job;
  const { agent, workflow } = definitionFrom(job);
  const state = workflow.states[wanted.state];
  if (!state) throw new Error(`the workflow ${workflow.name} has no state ${wanted.state}`);
  const phase = job.phases + 1;
  const todos = [...(wanted.todos ?? workflowTodos(state))];
  const name = wanted.name ?? state.title;
  const allowance = remaining(job, now);
  const { kind } = state;
  const dispatched = { phase, attempt: wanted.attempt, state: wanted.state, kind, name, todos, allowance };
  const owed = owedTodosOf({ ...job, ...owedAfterDispatch(job, dispatched) });
  return {
    phase,
    kind,
    dispatched: { type: 'PhaseDispatched', data: dispatched },
    started: {
      type: 'PhaseStarted',
      data: {
        jobId: submitted.jobId,
        phase,
        attempt: wanted.attempt,
        state: wanted.state,
        kind,
        name,
        agent: { name: agent.name, displayName: agent.displayName, description: agent.description },
        model: agent.models[kind],
        ...offeredIn(agent, kind, state),
        ...(agent.skills ? { skills: agent.skills } : {}),
        todos,
        todoLimits: agent.todos,
        tree: { ...wanted.tree },
        deliverables: agent.deliverables,
        ...outcomesOf(state, owed.obligations !== undefined),
        archive: state.archive,
        limits: agent.limits,
        allowance,
        context: agent.context,
        ...(agent.approvals.tools.length > 0 ? { approvals: agent.approvals } : {}),
        ...(agent.stuck ? { stuck: agent.stuck } : {}),
        ...(agent.settings ? { settings: agent.settings } : {}),
        ...(job.notices.length > 0 ? { notices: [...job.notices] } : {}),
        ...(submitted.priority > 0 ? { priority: submitted.priority } : {}),
        ...recordingOf(job),
        ...owed,
      },
    },
  };
}

function workflowTodos(state: WorkflowState): readonly Todo[] {
  // The schema lets a state take its todos from the file only behind the gate that makes them.
  if (state.todos === 'from-file')
    throw new Error('a state that takes its todos from the file was reached without a plan');
  return predefinedTodos(state.todos);
}

type Outcome = PhaseState['start']['finish'];

/** What may come of a phase in that state, with the gates in the way. A job that owes todos cannot be completed. */
export function outcomesOf(
  state: WorkflowState,
  owes: boolean,
): Pick<PhaseState['start'], 'finish' | 'completion' | 'exhausted' | 'rewind'> {
  const outcomeOf = (outcome: string): Outcome => {
    const transition = state.outcomes[outcome];
    const completes = transition !== undefined && 'end' in transition && transition.end === 'completed';
    const gates = transition?.gates ?? [];
    // Nothing is left of a plan while something is owed.
    const settles = completes || outcome === state.exhausted;
    return { outcome, gates: owes && settles ? ['obligations', ...gates] : gates };
  };
  return {
    finish: outcomeOf(state.finish),
    ...(state.completion === undefined ? {} : { completion: outcomeOf(state.completion) }),
    ...(state.exhausted === undefined ? {} : { exhausted: outcomeOf(state.exhausted) }),
    ...(state.rewind === undefined ? {} : { rewind: outcomeOf(state.rewind) }),
  };
}

/** What the job may still use: its budgets less what the ended phases took, never below zero. */
export function remaining(job: JobState, now: Date): Allowance {
  const { maxCostUsd, maxTokens, maxWallTimeMs } = job.budgets;
  const { spending, unsettled } = job;
  const deadlineAt = job.deadlineAt ?? (maxWallTimeMs === undefined ? undefined : deadline(now, maxWallTimeMs));
  return {
    ...(maxCostUsd === undefined
      ? {}
      : {
          costMicroUsd: Math.max(
            0,
            Math.min(Math.round(maxCostUsd * 1_000_000), Number.MAX_SAFE_INTEGER) -
              spending.costMicroUsd -
              unsettled.costMicroUsd,
          ),
        }),
    ...(maxTokens === undefined
      ? {}
      : { tokens: Math.max(0, maxTokens - spending.inputTokens - spending.outputTokens - unsettled.tokens) }),
    ...(deadlineAt === undefined ? {} : { deadlineAt }),
  };
}

/** Events hold dates up to the year 9999; a budget of time that passes it ends there. */
const LAST_DATE = Date.UTC(9999, 11, 31);

function deadline(now: Date, maxWallTimeMs: number): string {
  return new Date(Math.min(now.getTime() + maxWallTimeMs, LAST_DATE)).toISOString();
}
