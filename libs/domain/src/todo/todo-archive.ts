import { toSingleLine } from '@phaseline/basics';
import type { RewindReason } from './todo-events.js';
import { todosInProgress } from './todo-list.js';
import { listBlockedTodos, openTodos, type Todo } from './todo.js';

export const ARCHIVE_DIRECTORY = 'archive';

/** Path of the file that archives the todos of an ended phase. */
export function archivePath(phase: number): string {
  return `${ARCHIVE_DIRECTORY}/phase_${String(phase).padStart(3, '0')}.md`;
}

export interface ArchivedPhase {
  readonly phase: number;
  readonly name: string;
  /** ISO 8601 timestamp. */
  readonly endedAt: string;
  readonly todos: readonly Todo[];
  /** Why the list was abandoned, if it was. */
  readonly rewound?: RewindReason | undefined;
  /** Lines of the summary that the system writes from the log. */
  readonly summary: readonly string[];
}

/** Renders the todos of an ended phase as Markdown, for people and for the next strategic phase. */
export function renderArchive({ phase, name, endedAt, todos, rewound, summary }: ArchivedPhase): string {
  const done = todos.filter(({ status }) => status === 'done');
  const begun = todosInProgress(todos).filter((todo) => todo.blocked === undefined);
  const blocked = listBlockedTodos(todos);
  const pending = openTodos(todos).filter((todo) => todo.blocked === undefined && !begun.includes(todo));
  const noted = todos.filter(({ note }) => note);
  const lines = [
    `# Phase ${phase}: ${name}`,
    '',
    `Archived: ${endedAt}`,
    '',
    ...renderFailure(rewound),
    ...renderSection(`Completed (${done.length})`, done.map(renderTodo)),
    ...(begun.length > 0 ? renderSection(`In progress (${begun.length})`, begun.map(renderTodo)) : []),
    ...(blocked.length > 0 ? renderSection(`Blocked (${blocked.length})`, blocked.map(renderBlocked)) : []),
    ...renderSection(`Pending (${pending.length})`, pending.map(renderTodo)),
    ...(noted.length > 0
      ? renderSection(
          'Notes',
          noted.map(({ id, note }) => `- ${id}: ${note}`),
        )
      : []),
    ...renderSection('Summary', summary),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function renderFailure(rewound: RewindReason | undefined): readonly string[] {
  if (!rewound) return [];
  const by = rewound.pattern === undefined ? 'The agent abandoned this list.' : `Stuck: ${rewound.pattern}.`;
  return renderSection('Failure', [by, '', ...rewound.issue.split(/\r?\n/).map((text) => `> ${text}`.trimEnd())]);
}

function renderSection(title: string, lines: readonly string[]): readonly string[] {
  return [`## ${title}`, '', ...lines, ''];
}

function renderBlocked(todo: Todo & { readonly blocked: string }): string {
  return `${renderTodo(todo)} (blocked: ${toSingleLine(todo.blocked)})`;
}

function renderTodo({ id, content, status, covers }: Todo): string {
  const owed = covers && covers.length > 0 ? ` (covers ${covers.join(', ')})` : '';
  return `- [${status === 'done' ? 'x' : ' '}] ${id}. ${content}${owed}`;
}
