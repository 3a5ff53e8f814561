import { currentTodo, itemsOf, openTodos, type PhaseState } from '@phaseline/domain';
import type { WorkspaceReader } from '@phaseline/workspace';

export const ACCOMPLISHMENTS = 'Accomplishments';
export const NOTES = 'Notes';
/** These two are made anew every time; everything else of the memory stays as it is. */
export const STATE = 'Current state';
export const FILES = 'Files';

const MOST_FILES = 60;
/** What tools keep for themselves, and the memory that this stands in. */
const NOT_LISTED = /^(?:results\/|work\/|workspace\.md$)/;

/** Where the work stands, as the log has it. */
export function stateLines({ start, todos }: PhaseState): readonly string[] {
  const done = todos.length - openTodos(todos).length;
  const current = currentTodo(todos);
  return [
    `- Phase ${start.phase}: ${oneLine(start.name)} (${start.kind})`,
    `- ${done} of ${todos.length} todos done`,
    ...(current ? [`- Current: ${current.id}. ${oneLine(current.content)}`] : []),
    ...(start.obligations ? [`- ${start.obligations.length} todos of earlier lists are owed`] : []),
  ];
}

/** The files of the job with their sizes; many of one folder as one line. */
export function fileLines(tree: WorkspaceReader['tree']): readonly string[] {
  const paths = Object.keys(tree).sort();
  const listed = paths.filter((path) => !NOT_LISTED.test(path));
  const shown = listed.slice(0, MOST_FILES);
  const left = listed.length - shown.length;
  return [
    ...shown.map((path) => `- ${path} (${tree[path]?.size ?? 0} bytes)`),
    ...(left > 0 ? [`- and ${left} more; see list_files`] : []),
  ];
}

/** What was achieved and noted, of a memory that anybody may have written. */
export function remembered(memory: string): readonly string[] {
  const part = (heading: string): readonly string[] => {
    const items = itemsOf(memory, heading);
    return items.length > 0 ? [`## ${heading}`, ...items.map((item) => `- ${item}`), ''] : [];
  };
  return [...part(ACCOMPLISHMENTS), ...part(NOTES)];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
