import { toSingleLine } from '@phaseline/basics';
import { currentTodo, listItems, openTodos, type PhaseState } from '@phaseline/domain';
import type { WorkspaceReader } from '@phaseline/workspace';

export const ACCOMPLISHMENTS_HEADING = 'Accomplishments';
export const NOTES_HEADING = 'Notes';
/** `STATE` and `FILES` are the sections that every update rewrites; the rest of the memory stays unchanged. */

const MAX_LISTED_FILES = 60;
/** Files that belong to tools, and the memory itself. */
const NOT_LISTED = /^(?:results\/|work\/|workspace\.md$)/;

/** Returns the current phase, its progress and its current todo, from the state of the phase. */
export function listState({ start, todos: { list: todos } }: PhaseState): readonly string[] {
  const done = todos.length - openTodos(todos).length;
  const current = currentTodo(todos);
  return [
    `- Phase ${start.identity.phase}: ${toSingleLine(start.identity.name)} (${start.identity.kind})`,
    `- ${done} of ${todos.length} todos done`,
    ...(current ? [`- Current: ${current.id}. ${toSingleLine(current.content)}`] : []),
    ...(start.plan.obligations ? [`- ${start.plan.obligations.length} todos of earlier lists are still open`] : []),
  ];
}

/** Returns the files of the job with their sizes, and the number of those not listed. */
export function listFiles(tree: WorkspaceReader['tree']): readonly string[] {
  const paths = Object.keys(tree).sort();
  const listed = paths.filter((path) => !NOT_LISTED.test(path));
  const shown = listed.slice(0, MAX_LISTED_FILES);
  const more = listed.length - shown.length;
  return [
    ...shown.map((path) => `- ${path} (${tree[path]?.size ?? 0} bytes)`),
    ...(more > 0 ? [`- and ${more} more; see list_files`] : []),
  ];
}

/** Returns the accomplishments and notes in a memory, which people may have edited. */
export function listMemoryItems(memory: string): readonly string[] {
  const formatSection = (heading: string): readonly string[] => {
    const items = listItems(memory, heading);
    return items.length > 0 ? [`## ${heading}`, ...items.map((item) => `- ${item}`), ''] : [];
  };
  return [...formatSection(ACCOMPLISHMENTS_HEADING), ...formatSection(NOTES_HEADING)];
}
