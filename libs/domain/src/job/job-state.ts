import { isEnded, isRetryable } from '@phaseline/contracts';
import type { AgentDefinition, Budgets } from '../agent/agent-definition.js';
import type { StateAgents } from '../agent/state-agents.js';
import type { OpenHandoff } from '../handoff/open-handoff.js';
import type { JobItems } from '../item/job-items.js';
import type { GuardOverride } from '../guard/guard-events.js';
import type { Spending, Unconfirmed } from '../budget/spending.js';
import type { Turn } from '../budget/turn.js';
import type { Workflow } from '../workflow/workflow.js';
import type { Failure, JobEventData } from './job-events.js';
import type { RepositoryState } from '../repository/repository-state.js';
import type { OwedTodos } from './owed-todos.js';

type JobStatus = 'submitted' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'blocked' | 'aborted';

interface ActivePhase {
  readonly phase: number;
  readonly state: string;
  readonly attempt: number;
}

/** The agent and workflow that a job runs. Definitions with the same hashes are the same. */
export interface JobDefinition {
  readonly agent: AgentDefinition;
  readonly agentHash: string;
  readonly workflow: Workflow;
  readonly workflowHash: string;
  /** The agents that states of the workflow name. */
  readonly agents?: StateAgents | undefined;
}

interface Timer {
  readonly kind: JobEventData<'TimerSet'>['kind'];
  readonly dueAt: string;
}

/** The phase that ended last, as needed for retrying it. */
export interface LastPhase extends ActivePhase {
  readonly failure?: Failure;
  /** Number of consecutive attempts that failed with the same code and message. */
  readonly sameFailures: number;
}

/** Origin of a fork. */
export type Fork = Pick<JobEventData<'JobForked'>, 'parent' | 'position' | 'mode' | 'unrecorded'>;

/** State of a job, folded from its stream. */
export interface JobState extends OwedTodos {
  readonly version: number;
  readonly submitted: JobEventData<'JobSubmitted'>;
  /** Hashes of the instructions with which the parents of a fork began, if the fork has others. */
  readonly replacedInstructions?: readonly string[];
  /** Current definition; initially the one that was submitted. */
  readonly definition: JobDefinition;
  /** Definition that takes effect with the next phase. */
  readonly nextDefinition?: JobDefinition | undefined;
  readonly budgets: Budgets;
  /** The repository of the job and its outputs; absent until something was recorded about them. */
  readonly repository?: RepositoryState;
  /** The items of the loop; absent until they are listed. */
  readonly items?: JobItems;
  /** The last handoff between agents, until its receiver ends. */
  readonly handoff?: OpenHandoff | undefined;
  readonly status: JobStatus;
  /** Number of phases dispatched so far. The next phase gets the next number. */
  readonly phases: number;
  readonly active?: ActivePhase | undefined;
  readonly last?: LastPhase;
  /** Attempt number for the retry of the last phase; absent when no retry is due. */
  readonly retryAttempt?: number | undefined;
  readonly deadlineAt?: string | undefined;
  /** Pending timers by name. */
  readonly timers: Readonly<Record<string, Timer>>;
  readonly paused?: JobEventData<'JobPaused'> | undefined;
  /** The last request to pause, resume, retry or cancel. `version` is that of the event in the job's stream. */
  readonly lastRequest?: LastRequest;
  /** Who resumed the job after the last pause. */
  readonly resumedBy?: string;
  /** Files that people changed and no phase has received yet. */
  readonly edits?: readonly JobEventData<'WorkspaceEdited'>[] | undefined;
  /** Overrides of guards, also those that have expired. */
  readonly guardOverrides?: readonly GuardOverride[];
  /** Messages from people that no phase has received yet. */
  readonly notices: readonly string[];
  /** Messages from people that the active phase has received. Those that its model has not read go to the next phase. */
  readonly sent?: readonly string[] | undefined;
  /** Total spending of all ended phases. */
  readonly spending: Spending;
  readonly unconfirmed: Unconfirmed;
  /** The turn in which the last phase ended; absent before that, and if the agent has no limits of turns. */
  readonly turn?: Turn | undefined;
  readonly cancelRequested?: JobEventData<'JobCancelRequested'>;
  readonly completion?: Omit<JobEventData<'JobCompleted'>, 'file'>;
  /** The file about the completion that the system wrote after the last phase. */
  readonly completionFile?: JobEventData<'JobCompleted'>['file'];
  readonly failure?: JobEventData<'JobFailed'> | undefined;
  /**
   * Set once the key of an encrypted job was destroyed: who requested it, and when. All other texts in the state are
   * placeholders then.
   */
  readonly erased?: JobEventData<'JobErased'>;
  /** The legal hold on the job, until it is released. */
  readonly hold?: JobEventData<'HoldPlaced'> | undefined;
  /** Set once retention began to remove files: the newest removal, and what all of them removed. */
  readonly filesRemoved?: FilesRemoved;
  /** Set for a fork: its parent, and how it runs. */
  readonly fork?: Fork;
}

interface FilesRemoved {
  readonly removedAt: string;
  readonly actor: string;
  readonly files: number;
  readonly bytes: number;
  /** Whether the removal has not finished. */
  readonly hasMore: boolean;
}

export interface LastRequest {
  readonly action: 'paused' | 'resumed' | 'retried' | 'cancelled';
  readonly actor: string;
  readonly version: number;
}

export function hasJobEnded({ status }: JobState): boolean {
  return isEnded(status);
}

/** Whether the job ended without its deliverables, and can be retried. */
export function hasJobFailed({ status }: JobState): boolean {
  return isRetryable(status);
}

/** Number of the phase whose state a decision about the job needs: the active one, or the one to be retried. */
export function findDecidingPhase(state: JobState): number | undefined {
  return state.active?.phase ?? (state.retryAttempt === undefined ? undefined : state.last?.phase);
}
