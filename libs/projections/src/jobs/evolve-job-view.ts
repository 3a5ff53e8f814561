import { assertNever, type JobEventData } from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import { viewChange, type ViewChange, type ViewEvent } from '../log/view-events.js';
import type { JobView, JobViewStatus, OpenCall, PhaseView } from './job-view.js';

/**
 * Folds one event into the view. `view` is undefined only before the job's first event. An event that the view has seen
 * changes nothing, so that a row which is ahead of a reader stays right.
 */
export function evolveJobView(view: JobView | undefined, change: ViewChange): JobView {
  const { event, position, recordedAt } = change;
  if (view && position <= view.position) return view;
  if (event.type === 'JobSubmitted') {
    const { agent, labels, tenant } = event.data;
    return {
      jobId: change.jobId,
      submittedPosition: position,
      position,
      // What was written before there were tenants has none.
      tenant: tenant ?? 'default',
      agent: agent.name,
      status: 'submitted',
      labels,
      createdAt: recordedAt,
      updatedAt: recordedAt,
      inputTokens: 0,
      cachedInputTokens: 0,
      outputTokens: 0,
      costMicroUsd: 0,
      steps: 0,
    };
  }
  if (event.type === 'JobForked') return forked(event.data, change);
  if (!view)
    throw new Error(`${event.type} at position ${position} comes before the JobSubmitted of job ${change.jobId}`);
  return without({ ...view, ...changed(view, event, change), position, updatedAt: recordedAt });
}

/** A fork begins as its parent stood; what was spent until then is part of its spending, as its budgets have it. */
function forked({ labels, carried }: JobEventData<'JobForked'>, change: ViewChange): JobView {
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
    ...(phase ? { phase: { ...phase, over: false, openCalls: [], heldCalls: [] } } : {}),
    inputTokens: spending.inputTokens,
    cachedInputTokens: spending.cachedInputTokens,
    outputTokens: spending.outputTokens,
    costMicroUsd: spending.costMicroUsd,
    steps: spending.steps,
  };
}

/** Folds events, in the order of their positions, onto a view. */
export function foldJobView(events: Iterable<RecordedEvent>, from?: JobView): JobView | undefined {
  let view = from;
  for (const recorded of events) {
    const change = viewChange(recorded);
    if (change) view = evolveJobView(view, change);
  }
  return view;
}

type Changed = { -readonly [Key in keyof JobView]?: JobView[Key] | undefined };

function changed(
  view: JobView,
  event: Exclude<ViewEvent, { type: 'JobSubmitted' | 'JobForked' }>,
  change: ViewChange,
): Changed {
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
          over: false,
          todosDone,
          todosTotal: todos.length,
          openCalls: [],
          heldCalls: [],
        },
        ...(view.nextAgent === undefined ? {} : { agent: view.nextAgent, nextAgent: undefined }),
      };
    }
    case 'PhaseEnded':
      return inPhase(view, event.data.phase, over);
    case 'PhaseCompleted':
    case 'PhaseFailed':
    case 'PhaseCancelled':
      return inPhase(view, change.phase, over);
    case 'JobPaused':
      return view.status === 'cancelling' ? {} : { status: 'paused' };
    case 'JobResumed':
      return view.status === 'paused' ? { status: view.phase ? 'running' : 'submitted' } : {};
    case 'JobRetried':
      return { status: 'running', endedAt: undefined, failure: undefined };
    case 'JobCancelRequested':
      return { status: 'cancelling' };
    case 'JobCompleted':
      return { ...ended('completed', change), result: event.data };
    case 'JobFailed':
      return { ...ended('failed', change), failure: event.data };
    case 'JobCancelled':
      return { ...ended('cancelled', change), failure: { code: 'cancelled', message: event.data.reason } };
    case 'ModelResponded':
    case 'ConversationSummarised': {
      const { usage, costMicroUsd } = event.data;
      return {
        inputTokens: view.inputTokens + usage.inputTokens,
        cachedInputTokens: view.cachedInputTokens + usage.cachedInputTokens,
        outputTokens: view.outputTokens + usage.outputTokens,
        costMicroUsd: view.costMicroUsd + costMicroUsd,
        // A summary moves nothing on.
        steps: view.steps + (event.type === 'ModelResponded' ? 1 : 0),
      };
    }
    case 'ToolCallRequested': {
      const { callId, name, lane } = event.data;
      return inPhase(view, change.phase, ({ openCalls }) => ({ openCalls: [...openCalls, { callId, name, lane }] }));
    }
    case 'ApprovalRequested': {
      const { callId, name, lane } = event.data;
      return inPhase(view, change.phase, ({ heldCalls }) => ({ heldCalls: [...heldCalls, { callId, name, lane }] }));
    }
    case 'ApprovalGranted': {
      const { callId } = event.data;
      return inPhase(view, change.phase, ({ openCalls, heldCalls }) => ({
        openCalls: [...openCalls, ...heldCalls.filter((call) => call.callId === callId)],
        heldCalls: leaving(heldCalls, callId),
      }));
    }
    case 'ApprovalRefused': {
      const { callId } = event.data;
      return inPhase(view, change.phase, ({ heldCalls }) => ({ heldCalls: leaving(heldCalls, callId) }));
    }
    case 'ToolCallCompleted':
    case 'ToolCallFailed': {
      const { callId } = event.data;
      return inPhase(view, change.phase, ({ openCalls, heldCalls }) => ({
        openCalls: leaving(openCalls, callId),
        heldCalls: leaving(heldCalls, callId),
      }));
    }
    case 'TodoAdded':
      return inPhase(view, change.phase, ({ todosTotal }) => ({ todosTotal: todosTotal + 1 }));
    case 'TodoCompleted':
      return inPhase(view, change.phase, ({ todosDone }) => ({ todosDone: todosDone + 1 }));
    case 'TransitionRejected':
      // Todos are done in order, so the last one, which is open again now, was done only if all were.
      return inPhase(view, change.phase, ({ todosDone, todosTotal }) => ({
        todosDone: Math.min(todosDone, todosTotal - 1),
      }));
    // They change other read models; of the job they say only that something happened.
    case 'PhaseStarted':
    case 'PhaseResumed':
    case 'ToolCallDenied':
    case 'ToolCallStarted':
      return {};
    default:
      return assertNever(event);
  }
}

/** Events of a phase that is over may come behind the next one's beginning; they must not change that one. */
function inPhase(view: JobView, phase: number | undefined, change: (phase: PhaseView) => Partial<PhaseView>): Changed {
  return view.phase?.number === phase && view.phase ? { phase: { ...view.phase, ...change(view.phase) } } : {};
}

function over(): Partial<PhaseView> {
  return { over: true, openCalls: [], heldCalls: [] };
}

function leaving(calls: readonly OpenCall[], callId: string): readonly OpenCall[] {
  return calls.length === 0 ? calls : calls.filter((call) => call.callId !== callId);
}

function ended(status: JobViewStatus, { recordedAt }: ViewChange): Changed {
  return { status, endedAt: recordedAt };
}

/** A view never has a member that is undefined: it equals the one that comes back out of a row. */
function without(view: { [Key in keyof JobView]: JobView[Key] | undefined }): JobView {
  if (view.nextAgent === undefined && 'nextAgent' in view) delete (view as Changed).nextAgent;
  if (view.endedAt === undefined && 'endedAt' in view) delete (view as Changed).endedAt;
  if (view.failure === undefined && 'failure' in view) delete (view as Changed).failure;
  return view as JobView;
}
