import {
  readCount,
  readList,
  readObject,
  readString,
  summariseCall,
  type EventRecord,
  type UntypedData,
  type Usage,
} from '@phaseline/client';
import type { JobStatus, CallId, JobId, StreamId } from '@phaseline/contracts';

interface TodoProgress {
  readonly id: number;
  readonly content: string;
  readonly isDone: boolean;
  /** Why the agent cannot do it at present. */
  readonly blocked?: string;
}

/** A tool call that has been requested and has not ended. */
interface OpenCall {
  readonly callId: CallId;
  readonly name: string;
  /** Its most descriptive argument, such as a path. */
  readonly subject: string;
}

export interface PhaseProgress {
  readonly number: number;
  readonly kind: string;
  readonly name: string;
  readonly status: 'running' | 'completed' | 'failed' | 'cancelled';
  readonly todos: readonly TodoProgress[];
  /** True while a model call is in progress. */
  readonly isModelCallOpen: boolean;
  readonly openCalls: readonly OpenCall[];
}

/** Progress of a job, folded from its events for display. */
export interface JobProgress {
  readonly jobId: JobId;
  readonly agent: string;
  readonly status: JobStatus;
  readonly phases: readonly PhaseProgress[];
  readonly usage: Usage;
  /** True if some token counts are estimates, because the model server sent none. */
  readonly isEstimated: boolean;
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
  /** ISO times of the first and the last event. */
  readonly startedAt?: string;
  readonly lastEventAt?: string;
  /** Positions of the first and the last event; 0 if there is none yet. */
  readonly firstPosition: number;
  readonly position: number;
}

export function createProgress(jobId: JobId): JobProgress {
  return {
    jobId,
    agent: '',
    status: 'submitted',
    phases: [],
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0, steps: 0 },
    isEstimated: false,
    firstPosition: 0,
    position: 0,
  };
}

/** Returns the running phase, or else the last one. */
export function getCurrentPhase(progress: JobProgress): PhaseProgress | undefined {
  return progress.phases.at(-1);
}

/**
 * Folds one event into the progress. Call it in order of positions. Unknown events are ignored, so that the CLI can follow a newer
 * server.
 */
export function advanceProgress(progress: JobProgress, event: EventRecord): JobProgress {
  const next = { ...progress, ...applyEvent(progress, event.type, event.data, event.streamId) };
  return {
    ...next,
    startedAt: progress.startedAt ?? event.recordedAt,
    lastEventAt: event.recordedAt,
    firstPosition: progress.firstPosition || event.position,
    position: event.position,
  };
}

type Change = { -readonly [Key in keyof JobProgress]?: JobProgress[Key] };

function applyEvent(progress: JobProgress, type: string, data: UntypedData, streamId: StreamId): Change {
  switch (type) {
    case 'JobSubmitted': {
      const agent = readObject(data, 'agent');
      return { agent: readString(agent, 'displayName') ?? readString(agent, 'name') ?? '' };
    }
    case 'JobForked':
      return applyFork(readObject(data, 'carried'));
    case 'PhaseStarted':
      return {
        status: progress.status === 'cancelling' ? 'cancelling' : 'running',
        phases: [...progress.phases, createPhase(data)],
      };
    case 'JobRetried':
      return { status: 'running', failure: undefined };
    case 'JobCancelRequested':
      return { status: 'cancelling' };
    case 'JobCompleted':
      return { status: 'completed' };
    case 'JobCancelled':
      return { status: 'cancelled' };
    case 'JobFailed':
      return {
        status: readEnd(data),
        failure: { code: readString(data, 'code') ?? 'unknown', message: readString(data, 'message') ?? '' },
      };
    case 'ModelResponded':
      return {
        ...addUsage(progress, data),
        phases: updatePhase(progress, streamId, () => ({ isModelCallOpen: false })),
      };
    default:
      return { phases: updatePhase(progress, streamId, (phase) => applyPhaseEvent(phase, type, data)) };
  }
}

/** Status of a job that ended without its deliverables. */
function readEnd(data: UntypedData): JobProgress['status'] {
  const end = readString(data, 'end');
  return end === 'blocked' || end === 'aborted' ? end : 'failed';
}

/** A fork starts in the middle of a job. Only the number of its todos is known. */
function applyFork(carried: UntypedData): Change {
  const phase = readObject(carried, 'phase');
  const [done, total] = [readCount(phase, 'todosDone') ?? 0, readCount(phase, 'todosTotal') ?? 0];
  const todos = Array.from({ length: total }, (_, index) => ({
    id: index + 1,
    content: `todo ${index + 1}`,
    isDone: index < done,
  }));
  const spent = readObject(carried, 'spending');
  return {
    agent: readString(carried, 'agent') ?? '',
    usage: {
      inputTokens: readCount(spent, 'inputTokens') ?? 0,
      cachedInputTokens: readCount(spent, 'cachedInputTokens') ?? 0,
      outputTokens: readCount(spent, 'outputTokens') ?? 0,
      costMicroUsd: readCount(spent, 'costMicroUsd') ?? 0,
      steps: readCount(spent, 'steps') ?? 0,
    },
    ...(readCount(phase, 'number') === undefined
      ? {}
      : { status: 'running', phases: [{ ...createPhase({ ...phase, phase: phase['number'] }), todos }] }),
  };
}

function createPhase(start: UntypedData): PhaseProgress {
  const identity = readObject(start, 'identity');
  return {
    number: readCount(identity, 'phase') ?? 0,
    kind: readString(identity, 'kind') ?? '',
    name: [readString(identity, 'name') ?? '', ...listItemName(start)].join(': '),
    status: 'running',
    todos: readList(readObject(start, 'plan'), 'todos').map((todo) => ({
      id: readCount(todo, 'id') ?? 0,
      content: readString(todo, 'content') ?? '',
      isDone: todo['status'] === 'done',
      ...toBlocked(readString(todo, 'blocked')),
    })),
    isModelCallOpen: false,
    openCalls: [],
  };
}

/** The item of a loop that a phase works on, such as a feature; none in most phases. */
function listItemName(start: UntypedData): readonly string[] {
  const id = readString(readObject(readObject(start, 'plan'), 'item'), 'id');
  return id === undefined ? [] : [id];
}

function applyPhaseEvent(phase: PhaseProgress, type: string, data: UntypedData): Partial<PhaseProgress> {
  switch (type) {
    case 'ModelCallStarted':
      return { isModelCallOpen: true };
    case 'ToolCallRequested': {
      const call = {
        callId: readString(data, 'callId') ?? '',
        name: readString(data, 'name') ?? '',
        subject: summariseCall(readObject(data, 'arguments')),
      };
      return { openCalls: [...phase.openCalls, call] };
    }
    case 'ToolCallCompleted':
    case 'ToolCallFailed':
      return { openCalls: phase.openCalls.filter((call) => call.callId !== data['callId']) };
    case 'TodoCompleted':
      return updateTodo(phase, data['todoId'], (todo) => ({ ...withoutReason(todo), isDone: true }));
    case 'TodoBlocked':
      return updateTodo(phase, data['todoId'], (todo) => ({ ...todo, ...toBlocked(readString(data, 'reason')) }));
    case 'TodoUnblocked':
      return updateTodo(phase, data['todoId'], withoutReason);
    case 'TransitionRejected':
      // A gate refused the outcome, so the last todo is open again.
      return {
        todos: phase.todos.map((todo, index) => (index === phase.todos.length - 1 ? { ...todo, isDone: false } : todo)),
      };
    case 'ModelCallFailed':
    case 'PhaseTakenOver':
      return { isModelCallOpen: false };
    case 'PhaseCompleted':
      return endPhase('completed');
    case 'PhaseFailed':
      return endPhase('failed');
    case 'PhaseCancelled':
      return endPhase('cancelled');
    default:
      return {};
  }
}

function updateTodo(
  { todos }: PhaseProgress,
  todoId: unknown,
  edit: (todo: TodoProgress) => TodoProgress,
): Partial<PhaseProgress> {
  return { todos: todos.map((todo) => (todo.id === todoId ? edit(todo) : todo)) };
}

function toBlocked(reason: string | undefined): Pick<TodoProgress, 'blocked'> {
  return reason === undefined ? {} : { blocked: reason };
}

function withoutReason({ blocked: _blocked, ...todo }: TodoProgress): TodoProgress {
  return todo;
}

function endPhase(status: PhaseProgress['status']): Partial<PhaseProgress> {
  return { status, isModelCallOpen: false, openCalls: [] };
}

function addUsage({ usage, isEstimated }: JobProgress, data: UntypedData): Change {
  const used = readObject(data, 'usage');
  return {
    usage: {
      inputTokens: usage.inputTokens + (readCount(used, 'inputTokens') ?? 0),
      cachedInputTokens: usage.cachedInputTokens + (readCount(used, 'cachedInputTokens') ?? 0),
      outputTokens: usage.outputTokens + (readCount(used, 'outputTokens') ?? 0),
      costMicroUsd: usage.costMicroUsd + (readCount(data, 'costMicroUsd') ?? 0),
      steps: usage.steps + 1,
    },
    isEstimated: isEstimated || used['estimated'] === true,
  };
}

/** Applies an edit to the phase of the stream `phase-<job>-<number>`. */
function updatePhase(
  progress: JobProgress,
  streamId: StreamId,
  edit: (phase: PhaseProgress) => Partial<PhaseProgress>,
): readonly PhaseProgress[] {
  const number = Number(/-(\d+)$/.exec(streamId)?.[1]);
  if (!streamId.startsWith('phase-')) return progress.phases;
  return progress.phases.map((phase) => (phase.number === number ? { ...phase, ...edit(phase) } : phase));
}
