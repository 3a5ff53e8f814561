import {
  assertNever,
  decodeJobEvent,
  decodePhaseEvent,
  parseStreamName,
  type JobEvent,
  type PhaseEvent,
} from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import type { JobView, JobViewStatus, PhaseView } from './job-view.js';

/** The events that change a view; a reader of the log needs no others. */
export const jobViewTypes = [
  'JobSubmitted',
  'PhaseDispatched',
  'PhaseEnded',
  'JobCancelRequested',
  'JobCompleted',
  'JobFailed',
  'JobCancelled',
  'ModelResponded',
  'ToolCallRequested',
  'ToolCallCompleted',
  'ToolCallFailed',
  'TodoCompleted',
  'TransitionRejected',
] as const satisfies readonly (JobEvent['type'] | PhaseEvent['type'])[];

type ViewEvent = Extract<JobEvent | PhaseEvent, { type: (typeof jobViewTypes)[number] }>;

/** A recorded event in the terms of a view. */
export interface ViewChange {
  readonly jobId: string;
  /** The phase whose stream it stands in; undefined for events of the job itself. */
  readonly phase: number | undefined;
  readonly position: number;
  readonly recordedAt: string;
  readonly event: ViewEvent;
}

/** Reads an event of the log. Undefined when it changes no view. Throws UndecodableEvent. */
export function viewChange(recorded: RecordedEvent): ViewChange | undefined {
  const stream = parseStreamName(recorded.streamId);
  if (!stream || !(jobViewTypes as readonly string[]).includes(recorded.type)) return undefined;
  const event = stream.kind === 'job' ? decodeJobEvent(recorded) : decodePhaseEvent(recorded);
  const { position, recordedAt } = recorded;
  const phase = stream.kind === 'phase' ? stream.phase : undefined;
  return { jobId: stream.jobId, phase, position, recordedAt, event: event as ViewEvent };
}

/**
 * Folds one event into the view. `view` is undefined only before `JobSubmitted`. An event that the view has seen changes
 * nothing, so that a row which is ahead of a reader stays right.
 */
export function evolveJobView(view: JobView | undefined, change: ViewChange): JobView {
  const { event, position, recordedAt } = change;
  if (view && position <= view.position) return view;
  if (event.type === 'JobSubmitted') {
    const { jobId, agent, labels } = event.data;
    return {
      jobId,
      submittedPosition: position,
      position,
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
  if (!view)
    throw new Error(`${event.type} at position ${position} comes before the JobSubmitted of job ${change.jobId}`);
  return { ...view, ...changed(view, event, change), position, updatedAt: recordedAt };
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

function changed(
  view: JobView,
  event: Exclude<ViewEvent, { type: 'JobSubmitted' }>,
  change: ViewChange,
): Partial<JobView> {
  switch (event.type) {
    case 'PhaseDispatched': {
      const { phase: number, kind, state, name, todos } = event.data;
      const todosDone = todos.filter((todo) => todo.status === 'done').length;
      return {
        status: 'running',
        phase: { number, kind, state, name, todosDone, todosTotal: todos.length, openCalls: [] },
      };
    }
    case 'PhaseEnded':
      return inPhase(view, event.data.phase, () => ({ openCalls: [] }));
    case 'JobCancelRequested':
      return { status: 'cancelling' };
    case 'JobCompleted':
      return { ...ended('completed', change), result: event.data };
    case 'JobFailed':
      return { ...ended('failed', change), failure: event.data };
    case 'JobCancelled':
      return { ...ended('cancelled', change), failure: { code: 'cancelled', message: event.data.reason } };
    case 'ModelResponded': {
      const { usage, costMicroUsd } = event.data;
      return {
        inputTokens: view.inputTokens + usage.inputTokens,
        cachedInputTokens: view.cachedInputTokens + usage.cachedInputTokens,
        outputTokens: view.outputTokens + usage.outputTokens,
        costMicroUsd: view.costMicroUsd + costMicroUsd,
        steps: view.steps + 1,
      };
    }
    case 'ToolCallRequested': {
      const { callId, name } = event.data;
      return inPhase(view, change.phase, ({ openCalls }) => ({ openCalls: [...openCalls, { callId, name }] }));
    }
    case 'ToolCallCompleted':
    case 'ToolCallFailed': {
      const { callId } = event.data;
      return inPhase(view, change.phase, ({ openCalls }) => ({
        openCalls: openCalls.filter((call) => call.callId !== callId),
      }));
    }
    case 'TodoCompleted':
      return inPhase(view, change.phase, ({ todosDone }) => ({ todosDone: todosDone + 1 }));
    case 'TransitionRejected':
      // Todos are done in order, so the last one, which is open again now, was done only if all were.
      return inPhase(view, change.phase, ({ todosDone, todosTotal }) => ({
        todosDone: Math.min(todosDone, todosTotal - 1),
      }));
    default:
      return assertNever(event);
  }
}

/** Events of a phase that is over may come behind the next one's beginning; they must not change that one. */
function inPhase(
  view: JobView,
  phase: number | undefined,
  change: (phase: PhaseView) => Partial<PhaseView>,
): Partial<JobView> {
  return view.phase?.number === phase && view.phase ? { phase: { ...view.phase, ...change(view.phase) } } : {};
}

function ended(status: JobViewStatus, { recordedAt }: ViewChange): Partial<JobView> {
  return { status, endedAt: recordedAt };
}
