import type { StoredItem } from '../../item/item.js';
import type { PhaseReturn } from '../../return/return-events.js';
import { addTodo, startTodo } from '../../todo/todo-list.js';
import type { Todo } from '../../todo/todo.js';
import type { Completion } from '../completion.js';
import type { PhaseEventData } from '../phase-events.js';
import { changedGroups, keep, type ChangeEvent, type Group } from './changed-groups.js';

/** The list of a phase, and the end that the agent proposes for it. */
export interface PhaseTodos {
  readonly list: readonly Todo[];
  /** Set when the list was abandoned, by the agent or by the system. */
  readonly rewound?: PhaseEventData<'TodosRewound'> | undefined;
  /** The end of the job that the agent proposes. */
  readonly proposal?: Completion | undefined;
  /** What the agent returned; it ends the phase if the checks of its end hold. */
  readonly returned?: PhaseReturn | undefined;
  /** The items of the loop that the agent handed in. */
  readonly listed?: readonly StoredItem[] | undefined;
  /** Number of lists of items that were refused. */
  readonly refusedLists?: number | undefined;
}

/** Types of events that change the list or the proposed end, for readers that need nothing else of a phase. */
export const todoEventTypes: readonly string[] = Object.entries(changedGroups).flatMap(([type, groups]) =>
  (groups as readonly Group[]).includes('todos') ? [type] : [],
);

export function foldTodos(todos: PhaseTodos, event: ChangeEvent): PhaseTodos {
  switch (event.type) {
    case 'TodoCompleted':
      return { ...todos, list: completeTodo(todos.list, event.data) };
    case 'TodoAdded':
      return { ...todos, list: addTodo(todos.list, event.data) };
    case 'TodoStarted':
      return { ...todos, list: startTodo(todos.list, event.data.todoId) };
    case 'TodoBlocked':
      return { ...todos, list: setBlocked(todos.list, event.data.todoId, event.data.reason) };
    case 'TodoUnblocked':
      return { ...todos, list: setBlocked(todos.list, event.data.todoId, undefined) };
    case 'TodosRewound':
      return { ...todos, rewound: event.data };
    case 'JobCompletionProposed':
      return { ...todos, proposal: event.data.completion };
    case 'PhaseReturned': {
      const { outcome, result } = event.data;
      return { ...todos, returned: { ...(outcome === undefined ? {} : { outcome }), result } };
    }
    case 'ItemsRefused':
      return { ...todos, refusedLists: event.data.count };
    case 'ItemsSubmitted':
      return { ...todos, listed: event.data.items };
    case 'TransitionRejected':
      return { list: reopenLast(todos.list), ...pickRefusedLists(todos) };
    default:
      return keep(todos, 'todos', event);
  }
}

function pickRefusedLists({ refusedLists }: PhaseTodos): Pick<PhaseTodos, 'refusedLists'> {
  return refusedLists === undefined ? {} : { refusedLists };
}

function completeTodo(list: readonly Todo[], { todoId, note }: PhaseEventData<'TodoCompleted'>): readonly Todo[] {
  const done = { status: 'done' as const, ...(note === undefined ? {} : { note }) };
  return list.map((todo) => (todo.id === todoId ? { ...withoutReason(todo), ...done } : todo));
}

function setBlocked(list: readonly Todo[], todoId: number, reason: string | undefined): readonly Todo[] {
  const blocked = reason === undefined ? {} : { blocked: reason };
  return list.map((todo) => (todo.id === todoId ? { ...withoutReason(todo), ...blocked } : todo));
}

function withoutReason({ blocked: _blocked, ...todo }: Todo): Todo {
  return todo;
}

/** Reopens the last todo: a rejected end means that it was not really done. */
function reopenLast(list: readonly Todo[]): readonly Todo[] {
  const last = list.at(-1);
  return last ? list.with(-1, { ...last, status: 'open' }) : list;
}
