import type { RewindReason } from '../todo/todo-events.js';
import { openTodos } from '../todo/todo.js';
import type { PhaseEvent } from './phase-events.js';
import type { PhaseState } from './phase-state.js';

/** How often the lists of one job may be given up where the agent's definition does not say. */
export const DEFAULT_REWINDS = 5;

/**
 * Whether the list may be given up now: the workflow knows what follows, some todo is open, and it was not asked for already.
 * Whoever records `TodosRewound` asks here first; recorded where this says no, it would change nothing.
 */
export function canRewind(state: PhaseState): boolean {
  return state.start.rewind !== undefined && !state.rewound && !state.end && openTodos(state.todos).length > 0;
}

/** The end of a phase whose list is given up once too often, so that no job goes round for ever. */
export function tooManyRewinds({ start, rewound }: PhaseState): PhaseEvent | undefined {
  const most = start.limits.rewinds ?? DEFAULT_REWINDS;
  const before = start.rewinds ?? 0;
  if (!rewound || before < most) return undefined;
  const message = `the todos could not be carried out, and this job was rewound ${before} times already; last: ${shown(rewound.issue)}`;
  return { type: 'PhaseFailed', data: { code: 'rewind_limit', message, retryable: false } };
}

function shown(issue: string): string {
  const line = issue.replace(/\s+/g, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 500).toWellFormed()}…` : line;
}

/** The reason without the call that gave it. */
export function reasonOf({ issue, pattern }: RewindReason): RewindReason {
  return { issue, ...(pattern === undefined ? {} : { pattern }) };
}
