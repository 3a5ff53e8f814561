import { clip, toSingleLine } from '@phaseline/basics';
import type { RewindReason } from '../todo/todo-events.js';
import { openTodos } from '../todo/todo.js';
import type { PhaseEvent } from './phase-events.js';
import type { PhaseState } from './phase-state.js';

/** Default number of lists that one job may abandon. */
export const DEFAULT_MAX_REWINDS = 5;

/**
 * Whether the list can be abandoned now: the workflow has an outcome for it, a todo is open, and it was not already abandoned.
 * Check this before recording `TodosRewound`, which has no effect otherwise.
 */
export function canRewind(state: PhaseState): boolean {
  return (
    state.start.routes.rewind !== undefined &&
    !state.todos.rewound &&
    !state.end &&
    openTodos(state.todos.list).length > 0
  );
}

/** Builds the failure of a phase whose job has used up its rewinds, so that no job loops forever. */
export function checkRewindLimit({ start, todos: { rewound } }: PhaseState): PhaseEvent | undefined {
  const maxRewinds = start.terms.limits.rewinds ?? DEFAULT_MAX_REWINDS;
  const before = start.plan.rewinds ?? 0;
  if (!rewound || before < maxRewinds) return undefined;
  const message = `the todos could not be carried out, and this job has already been rewound ${before} times; the last reason: ${clip(toSingleLine(rewound.issue), 500)}`;
  return { type: 'PhaseFailed', data: { code: 'rewind_limit', message, retryable: false } };
}

/** Copies the reason without the call id. */
export function pickRewindReason({ issue, pattern }: RewindReason): RewindReason {
  return { issue, ...(pattern === undefined ? {} : { pattern }) };
}
