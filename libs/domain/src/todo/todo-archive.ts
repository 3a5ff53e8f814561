import type { RewindReason } from './todo-events.js';
import { todosInProgress } from './todo-list.js';
import { openTodos, type Todo } from './todo.js';

export const ARCHIVE_DIRECTORY = 'archive';

/** Where the todos of a phase are kept once it has ended. */
export function archivePath(phase: number): string {
  return `${ARCHIVE_DIRECTORY}/phase_${String(phase).padStart(3, '0')}.md`;
}

export interface ArchivedPhase {
  readonly phase: number;
  readonly name: string;
  /** An ISO time. */
  readonly endedAt: string;
  readonly todos: readonly Todo[];
  /** Why the list was given up, where it was. */
  readonly rewound?: RewindReason | undefined;
}

/** The todos of an ended phase as Markdown for people and for the next strategic phase. */
export function renderArchive({ phase, name, endedAt, todos, rewound }: ArchivedPhase): string {
  const done = todos.filter(({ status }) => status === 'done');
  const begun = todosInProgress(todos);
  const pending = openTodos(todos).filter((todo) => !begun.includes(todo));
  const noted = todos.filter(({ note }) => note);
  const lines = [
    `# Phase ${phase}: ${name}`,
    '',
    `Archived: ${endedAt}`,
    '',
    ...failureNote(rewound),
    ...section(`Completed (${done.length})`, done.map(line)),
    ...(begun.length > 0 ? section(`In progress (${begun.length})`, begun.map(line)) : []),
    ...section(`Pending (${pending.length})`, pending.map(line)),
    ...(noted.length > 0
      ? section(
          'Notes',
          noted.map(({ id, note }) => `- ${id}: ${note}`),
        )
      : []),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function failureNote(rewound: RewindReason | undefined): readonly string[] {
  if (!rewound) return [];
  const by = rewound.pattern === undefined ? 'The agent gave this list up.' : `Stuck: ${rewound.pattern}.`;
  return section('Failure', [by, '', ...rewound.issue.split(/\r?\n/).map((text) => `> ${text}`.trimEnd())]);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return [`## ${title}`, '', ...lines, ''];
}

function line({ id, content, status, covers }: Todo): string {
  const owed = covers && covers.length > 0 ? ` (accounts for ${covers.join(', ')})` : '';
  return `- [${status === 'done' ? 'x' : ' '}] ${id}. ${content}${owed}`;
}
