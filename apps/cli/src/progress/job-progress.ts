import type { EventRecord, Usage } from '@phaseline/client';
import type { JobStatus } from '@phaseline/contracts';
import { callSubject } from '../event/call-subject.js';
import { count, list, part, text, type Data } from '../event/event-data.js';

export interface TodoProgress {
  readonly id: number;
  readonly content: string;
  readonly done: boolean;
}

/** A tool call that was requested and has not ended. */
export interface OpenCall {
  readonly callId: string;
  readonly name: string;
  /** What it is about, such as a path. */
  readonly subject: string;
}

export interface PhaseProgress {
  readonly number: number;
  readonly kind: string;
  readonly name: string;
  readonly status: 'running' | 'completed' | 'failed' | 'cancelled';
  readonly todos: readonly TodoProgress[];
  /** The model was called and has not answered yet. */
  readonly thinking: boolean;
  readonly openCalls: readonly OpenCall[];
}

/** What there is to show of a job. */
export interface JobProgress {
  readonly jobId: string;
  readonly agent: string;
  readonly status: JobStatus;
  readonly phases: readonly PhaseProgress[];
  readonly usage: Usage;
  /** Some token figures were counted here, because the model server sent none. */
  readonly estimated: boolean;
  readonly failure?: { readonly code: string; readonly message: string };
  /** ISO times of the first event and of the last one. */
  readonly startedAt?: string;
  readonly lastEventAt?: string;
  /** Of the first event and of the last one; 0 before there is any. */
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

/** The phase that runs, or ran last. */
export function currentPhase(progress: JobProgress): PhaseProgress | undefined {
  return progress.phases.at(-1);
}

/**
 * Folds one event of a job in, in the order of positions. It is a view, not the truth: what it does not know it passes over,
 * so that it can follow a newer server.
 */
export function advanceProgress(progress: JobProgress, event: EventRecord): JobProgress {
  const next = { ...progress, ...change(progress, event.type, event.data, event.streamId) };
  return {
    ...next,
    startedAt: progress.startedAt ?? event.recordedAt,
    lastEventAt: event.recordedAt,
    firstPosition: progress.firstPosition || event.position,
    position: event.position,
  };
}

type Change = { -readonly [Key in keyof JobProgress]?: JobProgress[Key] };

function change(progress: JobProgress, type: string, data: Data, streamId: string): Change {
  switch (type) {
    case 'JobSubmitted': {
      const agent = part(data, 'agent');
      return { agent: text(agent, 'displayName') ?? text(agent, 'name') ?? '' };
    }
    case 'JobForked':
      return forked(part(data, 'carried'));
    case 'PhaseStarted':
      return {
        status: progress.status === 'cancelling' ? 'cancelling' : 'running',
        phases: [...progress.phases, startedPhase(data)],
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
      return { ...answered(progress, data), phases: withPhase(progress, streamId, () => ({ thinking: false })) };
    default:
      return { phases: withPhase(progress, streamId, (phase) => phaseChange(phase, type, data)) };
  }
}

/** A fork begins in the middle. Of the todos only their number is known here. */
function forked(carried: Data): Change {
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
      : { status: 'running', phases: [{ ...startedPhase({ ...phase, phase: phase['number'] }), todos }] }),
  };
}

function startedPhase(data: Data): PhaseProgress {
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

function phaseChange(phase: PhaseProgress, type: string, data: Data): Partial<PhaseProgress> {
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
      // The gate found the work undone, so the last todo is open again.
      return {
        todos: phase.todos.map((todo, index) => (index === phase.todos.length - 1 ? { ...todo, done: false } : todo)),
      };
    case 'ModelCallFailed':
    case 'PhaseResumed':
      return { thinking: false };
    case 'PhaseCompleted':
      return ended('completed');
    case 'PhaseFailed':
      return ended('failed');
    case 'PhaseCancelled':
      return ended('cancelled');
    default:
      return {};
  }
}

function ended(status: PhaseProgress['status']): Partial<PhaseProgress> {
  return { status, thinking: false, openCalls: [] };
}

function answered({ usage, estimated }: JobProgress, data: Data): Change {
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

/** The phases with a change to the one whose stream it is: `phase-<job>-<number>`. */
function withPhase(
  progress: JobProgress,
  streamId: string,
  edit: (phase: PhaseProgress) => Partial<PhaseProgress>,
): readonly PhaseProgress[] {
  const number = Number(/-(\d+)$/.exec(streamId)?.[1]);
  if (!streamId.startsWith('phase-')) return progress.phases;
  return progress.phases.map((phase) => (phase.number === number ? { ...phase, ...edit(phase) } : phase));
}
