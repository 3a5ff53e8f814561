import { buildPhaseStart, type StartChanges } from '../testing/phase-start.js';
import type { Todo } from '../todo/todo.js';
import type { ToolSpec } from '@phaseline/contracts';
import type { ToolLookup } from './admit-call.js';
import type { PhaseEvent, PhaseEventData } from './phase-events.js';

export const JOB_ID = '01890000-0000-7000-8000-000000000001';

/** The start of a tactical phase with two todos. */
export function buildPhaseStarted(changes: StartChanges = {}): PhaseEvent {
  return buildPhaseStart({
    ...changes,
    terms: { tools: ['note', 'fetch', 'todo_complete'], ...changes.terms },
    plan: { todos: [buildTodo(1), buildTodo(2)], ...changes.plan },
  });
}

export function buildTodo(id: number, status: Todo['status'] = 'open'): Todo {
  return { id, content: `Do thing ${id}`, status };
}

type Call = PhaseEventData<'ModelResponded'>['calls'][number];

export function buildModelResponded(
  step: number,
  calls: readonly Call[] = [],
  changes: Partial<PhaseEventData<'ModelResponded'>> = {},
): PhaseEvent {
  return {
    type: 'ModelResponded',
    data: {
      step,
      model: 'default',
      content: '',
      calls: [...calls],
      end: calls.length > 0 ? 'calls' : 'stop',
      usage: { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5, estimated: false },
      costMicroUsd: 7,
      durationMs: 1,
      ...changes,
    },
  };
}

export function buildToolCallRequested(
  callId: string,
  lane: ToolSpec['lane'],
  name = lane === 'inline' ? 'note' : 'fetch',
): PhaseEvent {
  return {
    type: 'ToolCallRequested',
    data: { callId, step: 1, name, arguments: {}, lane, effect: 'pure', traits: [], timeoutMs: 1_000 },
  };
}

export function buildToolCallCompleted(callId: string): PhaseEvent {
  return { type: 'ToolCallCompleted', data: { callId, content: `result of ${callId}`, attempts: 1, durationMs: 1 } };
}

export function buildToolCallFailed(callId: string): PhaseEvent {
  return { type: 'ToolCallFailed', data: { callId, code: 'broken', message: 'it broke', attempts: 1, durationMs: 1 } };
}

export function buildTodoCompleted(todoId: number): PhaseEvent {
  return { type: 'TodoCompleted', data: { todoId, callId: `done-${todoId}` } };
}

/** Tools used in specs: `note` in the inline lane, `fetch` in the remote lane, and `secret`, which no phase offers. */
export const specTools: ToolLookup = {
  find: (name) => {
    const lane = name === 'fetch' ? 'remote' : 'inline';
    if (!['note', 'fetch', 'todo_complete', 'secret'].includes(name)) return undefined;
    return {
      definition: { name, description: '', parameters: {} },
      lane,
      effect: 'pure',
      traits: name === 'fetch' ? ['reads_stored_content'] : [],
      timeoutMs: 1_000,
    };
  },
  parseArguments: (_name, args) =>
    'bad' in args ? { problem: 'bad: not allowed.' } : { arguments: args, ignoredArguments: [] },
};
