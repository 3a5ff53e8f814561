import type { EventRecord, Usage } from '@phaseline/client';
import type { JobStatus } from '@phaseline/contracts';
import { callSubject } from '../event/call-subject.js';
import { count, list, part, text, type Data } from '../event/event-data.js';

export interface TodoProgress {
  readonly id: number;
  readonly content: string;
  readonly done: boolean;
}

/** A tool call that has been requested and has not ended. */
export interface OpenCall {
  readonly callId: string;
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
  readonly thinking: boolean;
  readonly openCalls: readonly OpenCall[];
}

/** Progress of a job, folded from its events for display. */
export interface JobProgress {
  readonly jobId: string;
  readonly agent: string;
  readonly status: JobStatus;
  readonly phases: readonly PhaseProgress[];
  readonly usage: Usage;
  /** True if some token counts are estimates, because the model server sent none. */
  readonly estimated: boolean;
  readonly failure?: { readonly code: string; readonly message: string };
  /** ISO times of the first and the last event. */
  readonly startedAt?: string;
  readonly lastEventAt?: string;
  /** Positions of the first and the last event; 0 if there is none yet. */
  readonly firstPosition: number;
  readonly position: number;
}

export function initialProgress(jobId: string): JobProgress {
  return {
    jobId,
    agent: '',
    status: 'submitted',
    phases: [],
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0, steps: 0 },
    estimated: false,
    firstPosition: 0,
    position: 0,
  };
}

/** Returns the running phase, or else the last one. */
export function currentPhase(progress: JobProgress): PhaseProgress | undefined {
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

function applyEvent(progress: JobProgress, type: string, data: Data, streamId: string): Change {
  switch (type) {
    case 'JobSubmitted': {
      const agent = part(data, 'agent');
      return { agent: text(agent, 'displayName') ?? text(agent, 'name') ?? '' };
    }
    case 'JobForked':
      return applyFork(part(data, 'carried'));
    case 'PhaseStarted':
      return {
        status: progress.status === 'cancelling' ? 'cancelling' : 'running',
        phases: [...progress.phases, createPhase(data)],
      };
    case 'JobCancelRequested':
      return { status: 'cancelling' };
    case 'JobCompleted':
      return { status: 'completed' };
    case 'JobCancelled':
      return { status: 'cancelled' };
    case 'JobFailed':
      return {
        status: 'failed',
        failure: { code: text(data, 'code') ?? 'unknown', message: text(data, 'message') ?? '' },
      };
    case 'ModelResponded':
      return { ...addUsage(progress, data), phases: updatePhase(progress, streamId, () => ({ thinking: false })) };
    default:
      return { phases: updatePhase(progress, streamId, (phase) => applyPhaseEvent(phase, type, data)) };
  }
}

/** A fork starts in the middle of a job. Only the number of its todos is known. */
function applyFork(carried: Data): Change {
  const phase = part(carried, 'phase');
  const [done, total] = [count(phase, 'todosDone') ?? 0, count(phase, 'todosTotal') ?? 0];
  const todos = Array.from({ length: total }, (_, index) => ({
    id: index + 1,
    content: `todo ${index + 1}`,
    done: index < done,
  }));
  const spent = part(carried, 'spending');
  return {
    agent: text(carried, 'agent') ?? '',
    usage: {
      inputTokens: count(spent, 'inputTokens') ?? 0,
      cachedInputTokens: count(spent, 'cachedInputTokens') ?? 0,
      outputTokens: count(spent, 'outputTokens') ?? 0,
      costMicroUsd: count(spent, 'costMicroUsd') ?? 0,
      steps: count(spent, 'steps') ?? 0,
    },
    ...(count(phase, 'number') === undefined
      ? {}
      : { status: 'running', phases: [{ ...createPhase({ ...phase, phase: phase['number'] }), todos }] }),
  };
}

function createPhase(data: Data): PhaseProgress {
  return {
    number: count(data, 'phase') ?? 0,
    kind: text(data, 'kind') ?? '',
    name: text(data, 'name') ?? '',
    status: 'running',
    todos: list(data, 'todos').map((todo) => ({
      id: count(todo, 'id') ?? 0,
      content: text(todo, 'content') ?? '',
      done: todo['status'] === 'done',
    })),
    thinking: false,
    openCalls: [],
  };
}

function applyPhaseEvent(phase: PhaseProgress, type: string, data: Data): Partial<PhaseProgress> {
  switch (type) {
    case 'ModelCallStarted':
      return { thinking: true };
    case 'ToolCallRequested': {
      const call = {
        callId: text(data, 'callId') ?? '',
        name: text(data, 'name') ?? '',
        subject: callSubject(part(data, 'arguments')),
      };
      return { openCalls: [...phase.openCalls, call] };
    }
    case 'ToolCallCompleted':
    case 'ToolCallFailed':
      return { openCalls: phase.openCalls.filter((call) => call.callId !== data['callId']) };
    case 'TodoCompleted':
      return { todos: phase.todos.map((todo) => (todo.id === data['todoId'] ? { ...todo, done: true } : todo)) };
    case 'TransitionRejected':
      // A gate refused the outcome, so the last todo is open again.
      return {
        todos: phase.todos.map((todo, index) => (index === phase.todos.length - 1 ? { ...todo, done: false } : todo)),
      };
    case 'ModelCallFailed':
    case 'PhaseResumed':
      return { thinking: false };
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

function endPhase(status: PhaseProgress['status']): Partial<PhaseProgress> {
  return { status, thinking: false, openCalls: [] };
}

function addUsage({ usage, estimated }: JobProgress, data: Data): Change {
  const used = part(data, 'usage');
  return {
    usage: {
      inputTokens: usage.inputTokens + (count(used, 'inputTokens') ?? 0),
      cachedInputTokens: usage.cachedInputTokens + (count(used, 'cachedInputTokens') ?? 0),
      outputTokens: usage.outputTokens + (count(used, 'outputTokens') ?? 0),
      costMicroUsd: usage.costMicroUsd + (count(data, 'costMicroUsd') ?? 0),
      steps: usage.steps + 1,
    },
    estimated: estimated || used['estimated'] === true,
  };
}

/** Applies an edit to the phase of the stream `phase-<job>-<number>`. */
function updatePhase(
  progress: JobProgress,
  streamId: string,
  edit: (phase: PhaseProgress) => Partial<PhaseProgress>,
): readonly PhaseProgress[] {
  const number = Number(/-(\d+)$/.exec(streamId)?.[1]);
  if (!streamId.startsWith('phase-')) return progress.phases;
  return progress.phases.map((phase) => (phase.number === number ? { ...phase, ...edit(phase) } : phase));
}
