import { assertNever } from '@phaseline/basics';
import { listBlockedTodos, NOTHING_SPENT, type Completion, type JobEventData } from '@phaseline/domain';
import type { CallId } from '@phaseline/contracts';
import type { RecordedEvent } from '@phaseline/event-store';
import { toLogTime } from '../log/log-time.js';
import { toViewChange, type ViewChange, type ViewEvent } from '../log/view-events.js';
import { withWait } from './job-wait.js';
import type { BlockedTodo, JobView, JobViewStatus, OpenCall, PhaseView, WaitingCall } from './job-view.js';

/**
 * Applies one event to the view of a job. `view` is undefined only before the job's first event. An event that the view
 * already includes changes nothing, so a row that is ahead of the reader stays correct.
 */
export function evolveJobView(view: JobView | undefined, change: ViewChange): JobView {
  const { event, position, recordedAt } = change;
  if (view && position <= view.position) return view;
  if (event.type === 'JobSubmitted') {
    const { agent, labels, tenant } = event.data;
    const submitted: JobView = {
      jobId: change.jobId,
      submittedPosition: position,
      position,
      // Events written before tenants were introduced contain no tenant.
      tenant: tenant ?? 'default',
      agent: agent.name,
      status: 'submitted',
      labels,
      createdAt: recordedAt,
      updatedAt: recordedAt,
      ...NOTHING_SPENT,
    };
    return withWait(submitted, recordedAt);
  }
  if (event.type === 'JobForked') return withWait(viewOfFork(event.data, change), recordedAt);
  if (!view)
    throw new Error(`${event.type} at position ${position} comes before the JobSubmitted of job ${change.jobId}`);
  const next = withoutUndefined({ ...view, ...updateFor(view, event, change), position, updatedAt: recordedAt });
  return withWait(withWaitingStatus(next), recordedAt);
}

/**
 * Creates the view of a fork, which starts in the state of its parent. The parent's spending until then counts towards
 * the fork, as in its budgets.
 */
function viewOfFork({ labels, carried }: JobEventData<'JobForked'>, change: ViewChange): JobView {
  const { jobId, position, recordedAt } = change;
  const { agent, tenant, phase, spending } = carried;
  return {
    jobId,
    submittedPosition: position,
    position,
    tenant,
    agent,
    status: phase ? 'running' : 'submitted',
    labels,
    createdAt: recordedAt,
    updatedAt: recordedAt,
    ...(phase ? { phase: { ...phase, hasEnded: false, ...NOTHING_OPEN } } : {}),
    ...spending,
  };
}

/** Applies events, in the order of their positions, to a view. */
export function foldJobView(events: Iterable<RecordedEvent>, from?: JobView): JobView | undefined {
  let view = from;
  for (const recorded of events) {
    const change = toViewChange(recorded);
    if (change) view = evolveJobView(view, change);
  }
  return view;
}

type ViewUpdate = { -readonly [Key in keyof JobView]?: JobView[Key] | undefined };

function updateFor(
  view: JobView,
  event: Exclude<ViewEvent, { type: 'JobSubmitted' | 'JobForked' }>,
  change: ViewChange,
): ViewUpdate {
  switch (event.type) {
    case 'JobDefinitionChanged':
      return { nextAgent: event.data.agent.name };
    case 'PhaseDispatched': {
      const { phase: number, kind, state, name, todos } = event.data;
      const todosDone = todos.filter((todo) => todo.status === 'done').length;
      return {
        status: 'running',
        phase: {
          number,
          kind,
          state,
          name,
          hasEnded: false,
          todosDone,
          todosTotal: todos.length,
          ...NOTHING_OPEN,
          blockedTodos: listBlockedTodos(todos).map(({ id }) => toBlockedTodo(id, change)),
        },
        ...(view.nextAgent === undefined ? {} : { agent: view.nextAgent, nextAgent: undefined }),
      };
    }
    case 'PhaseEnded':
      return updatePhase(view, event.data.phase, endPhase);
    case 'PhaseCompleted':
    case 'PhaseFailed':
    case 'PhaseCancelled':
      return updatePhase(view, change.phase, endPhase);
    case 'JobPaused':
      return view.status === 'cancelling' ? {} : { status: 'paused' };
    case 'JobResumed':
      return view.status === 'paused' ? { status: view.phase ? 'running' : 'submitted' } : {};
    case 'JobRetried':
      return { status: 'running', endedAt: undefined, failure: undefined };
    case 'JobCancelRequested':
      return { status: 'cancelling' };
    case 'JobCompleted':
      return { ...jobEnded('completed', change), result: pickCompletion(event.data) };
    case 'JobFailed': {
      const { end = 'failed', ...failure } = event.data;
      return { ...jobEnded(end, change), failure };
    }
    case 'JobCancelled':
      return { ...jobEnded('cancelled', change), failure: { code: 'cancelled', message: event.data.reason } };
    case 'ModelResponded':
    case 'JudgeEnded':
    case 'ReflectionRecorded':
    case 'ConversationSummarised': {
      const { usage, costMicroUsd } = event.data;
      return {
        inputTokens: view.inputTokens + usage.inputTokens,
        cachedInputTokens: view.cachedInputTokens + usage.cachedInputTokens,
        outputTokens: view.outputTokens + usage.outputTokens,
        costMicroUsd: view.costMicroUsd + costMicroUsd,
        // A summary is not a step.
        steps: view.steps + (event.type === 'ModelResponded' ? 1 : 0),
      };
    }
    case 'ToolCallRequested': {
      const { callId, name, lane } = event.data;
      return updatePhase(view, change.phase, ({ openCalls }) => ({
        openCalls: [...openCalls, { callId, name, lane }],
      }));
    }
    case 'ApprovalRequested': {
      const { callId, name, lane, expiresAt } = event.data;
      const waiting = { callId, name, lane, ...toWait(change, expiresAt) };
      return updatePhase(view, change.phase, ({ awaitingApproval }) => ({
        awaitingApproval: [...awaitingApproval, waiting],
      }));
    }
    case 'QuestionAsked': {
      const { callId, deadlineAt } = event.data;
      return updatePhase(view, change.phase, ({ openCalls, awaitingAnswer }) => ({
        openCalls: withoutCall(openCalls, callId),
        awaitingAnswer: [
          ...awaitingAnswer,
          ...openCalls
            .filter((call) => call.callId === callId)
            .map((call) => ({ ...call, ...toWait(change, deadlineAt) })),
        ],
      }));
    }
    case 'QuestionAnswered':
    case 'QuestionTimedOut': {
      const { callId } = event.data;
      return updatePhase(view, change.phase, ({ openCalls, awaitingAnswer }) => ({
        openCalls: [...openCalls, ...pickCall(awaitingAnswer, callId)],
        awaitingAnswer: withoutCall(awaitingAnswer, callId),
      }));
    }
    case 'PhaseForked': {
      const { waiting = [], blockedTodos = [] } = event.data;
      const listOf = (kind: 'approval' | 'question') =>
        waiting
          .filter((call) => call.kind === kind)
          .map(({ callId, name, lane, deadlineAt }) => ({ callId, name, lane, ...toWait(change, deadlineAt) }));
      return updatePhase(view, change.phase, () => ({
        awaitingApproval: listOf('approval'),
        awaitingAnswer: listOf('question'),
        blockedTodos: blockedTodos.map((id) => toBlockedTodo(id, change)),
      }));
    }
    case 'ApprovalGranted': {
      const { callId } = event.data;
      return updatePhase(view, change.phase, ({ openCalls, awaitingApproval }) => ({
        openCalls: [...openCalls, ...pickCall(awaitingApproval, callId)],
        awaitingApproval: withoutCall(awaitingApproval, callId),
      }));
    }
    case 'ApprovalRefused': {
      const { callId } = event.data;
      return updatePhase(view, change.phase, ({ awaitingApproval }) => ({
        awaitingApproval: withoutCall(awaitingApproval, callId),
      }));
    }
    case 'ToolCallCompleted':
    case 'ToolCallFailed': {
      const { callId } = event.data;
      return updatePhase(view, change.phase, ({ openCalls, awaitingApproval, awaitingAnswer }) => ({
        openCalls: withoutCall(openCalls, callId),
        awaitingApproval: withoutCall(awaitingApproval, callId),
        awaitingAnswer: withoutCall(awaitingAnswer, callId),
      }));
    }
    case 'TodoAdded':
      return updatePhase(view, change.phase, ({ todosTotal }) => ({ todosTotal: todosTotal + 1 }));
    case 'TodoCompleted':
      return updatePhase(view, change.phase, ({ todosDone, blockedTodos }) => ({
        todosDone: todosDone + 1,
        blockedTodos: withoutTodo(blockedTodos, event.data.todoId),
      }));
    case 'TodoBlocked': {
      const { todoId } = event.data;
      return updatePhase(view, change.phase, ({ blockedTodos }) => ({
        blockedTodos: [...withoutTodo(blockedTodos, todoId), toBlockedTodo(todoId, change)],
      }));
    }
    case 'TodoUnblocked':
      return updatePhase(view, change.phase, ({ blockedTodos }) => ({
        blockedTodos: withoutTodo(blockedTodos, event.data.todoId),
      }));
    case 'TransitionRejected':
      // Todos are completed in order, so the last one, which is now open again, was done only if all were.
      return updatePhase(view, change.phase, ({ todosDone, todosTotal }) => ({
        todosDone: Math.min(todosDone, todosTotal - 1),
      }));
    // These change other read models; the job's own view shows only that something happened.
    case 'PhaseStarted':
    case 'PhaseTakenOver':
    case 'GuardDecided':
    case 'ToolCallDenied':
    case 'ToolCallStarted':
    case 'PlanArtifactRecorded':
    case 'PlanStatusChanged':
    case 'PatternApproved':
    case 'PreferenceAsked':
    case 'PreferenceAnswered':
    case 'StageAssessed':
      return {};
    default:
      return assertNever(event);
  }
}

/**
 * Applies a change to the current phase. Events of an ended phase may follow the start of the next phase and must not change
 * the next phase.
 */
function updatePhase(
  view: JobView,
  phase: number | undefined,
  change: (phase: PhaseView) => Partial<PhaseView>,
): ViewUpdate {
  return view.phase?.number === phase && view.phase ? { phase: { ...view.phase, ...change(view.phase) } } : {};
}

function endPhase(): Partial<PhaseView> {
  return { hasEnded: true, ...NOTHING_OPEN };
}

const NOTHING_OPEN = { openCalls: [], awaitingApproval: [], awaitingAnswer: [], blockedTodos: [] } as const;

/** A running job that needs a person says so, until the person has decided. */
function withWaitingStatus(view: JobView): JobView {
  const { status, phase } = view;
  if (status !== 'running' && status !== 'waiting-for-approval' && status !== 'waiting-for-input') return view;
  const now = !phase
    ? 'running'
    : phase.awaitingAnswer.length > 0
      ? 'waiting-for-input'
      : phase.awaitingApproval.length > 0
        ? 'waiting-for-approval'
        : 'running';
  return now === status ? view : { ...view, status: now };
}

function toWait({ position, recordedAt }: ViewChange, deadlineAt: string): Omit<WaitingCall, keyof OpenCall> {
  return { position, askedAt: toLogTime(recordedAt), deadlineAt };
}

/** Returns the call without the members that say what it waited for. */
function pickCall(calls: readonly WaitingCall[], callId: CallId): readonly OpenCall[] {
  return calls.filter((call) => call.callId === callId).map(({ name, lane }) => ({ callId, name, lane }));
}

function withoutCall<Call extends OpenCall>(calls: readonly Call[], callId: CallId): readonly Call[] {
  return calls.length === 0 ? calls : calls.filter((call) => call.callId !== callId);
}

function toBlockedTodo(todoId: number, { position, recordedAt }: ViewChange): BlockedTodo {
  return { todoId, position, blockedAt: toLogTime(recordedAt) };
}

function withoutTodo(blocked: readonly BlockedTodo[], todoId: number): readonly BlockedTodo[] {
  return blocked.length === 0 ? blocked : blocked.filter((todo) => todo.todoId !== todoId);
}

/** The members that a rebuild reads too. The file and the evidence, which it does not, are in the log. */
function pickCompletion({ summary, deliverables, confidence, notes }: Completion): Completion {
  return { summary, deliverables, confidence, notes };
}

function jobEnded(status: JobViewStatus, { recordedAt }: ViewChange): ViewUpdate {
  return { status, endedAt: recordedAt };
}

/** Removes undefined members, so that a view equals the one read back from its row. */
function withoutUndefined(view: { [Key in keyof JobView]: JobView[Key] | undefined }): JobView {
  for (const key of ['nextAgent', 'endedAt', 'failure'] as const)
    if (key in view && view[key] === undefined) delete (view as ViewUpdate)[key];
  return view as JobView;
}
