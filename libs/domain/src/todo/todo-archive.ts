import type { Todo } from './todo.js';

export const ARCHIVE_DIRECTORY = 'archive';

/** Where the todos of a phase are kept once it has ended. */
export function archivePath(phase: number): string {
  return `${ARCHIVE_DIRECTORY}/phase_${String(phase).padStart(3, '0')}.md`;
}

/** The todos of an ended phase as Markdown for people and for the next strategic phase. `endedAt` is an ISO time. */
export function renderArchive(phase: {
  readonly phase: number;
  readonly name: string;
  readonly endedAt: string;
  readonly todos: readonly Todo[];
}): string {
  const done = phase.todos.filter((todo) => todo.status === 'done');
  const open = phase.todos.filter((todo) => todo.status === 'open');
  const lines = [
    `# Phase ${phase.phase}: ${phase.name}`,
    '',
    `Archived: ${phase.endedAt}`,
    '',
    `## Completed (${done.length})`,
    '',
  ];
  lines.push(...done.map((todo) => `- [x] ${todo.id}. ${todo.content}`), '', `## Pending (${open.length})`, '');
  lines.push(...open.map((todo) => `- [ ] ${todo.id}. ${todo.content}`));
  const notes = phase.todos.filter((todo) => todo.note);
  if (notes.length > 0) lines.push('', '## Notes', '', ...notes.map((todo) => `- ${todo.id}: ${todo.note}`));
  return `${lines.join('\n').trimEnd()}\n`;
}
