import { clip, toSingleLine } from '@phaseline/basics';
import type { FileEntry } from '../phase/file-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import type { PhaseTree } from '../phase/state/tree.js';
import { currentTodo, openTodos } from '../todo/todo.js';
import { renderPlanPlace } from '../todo/plan-place.js';

/** The agent's memory, which is part of every system prompt. The system keeps one part of it current: the summary. */
export const MEMORY_FILE = 'workspace.md';
export const STATE_HEADING = 'Current state';
export const FILES_HEADING = 'Files';

/** Lines around the part that the system rewrites. All other lines belong to the agent and to people. */
const BEGIN = '<!-- summary: rewritten at the start of each phase; the text after the colon of a file is kept -->';
const IS_BEGIN = /^<!-- summary:/;
const END = '<!-- end of the summary -->';

/** Maximum number of files without a purpose that are listed one by one, and of folders that stand for the others. */
const MAX_FILES = 30;
const MAX_FOLDERS = 15;
/** Maximum characters of the purpose of a file, and number of files that have one: all of them are listed. */
export const MAX_PURPOSE_CHARACTERS = 200;
export const MAX_PURPOSES = 60;
const MAX_REASON_CHARACTERS = 300;

/** Folders that only the system fills, and folders for intermediate results. Their files are not listed one by one. */
const FOLDED = /^(?:archive|errors|guard_sets|results|skills|sources|tool_results|vocabularies|work)\//;

/** Data of Git itself, which no agent reads or writes file by file. It is not listed and not counted. */
const GIT_DATA = /(?:^|\/)\.git\//;

const FILE_LINE = /^- `(.+)` \(\d+ bytes, changed [^)]*\)(?:: (.*))?$/;
const SUMMARY_LINES = [
  /^## (?:Current state|Files)$/,
  /^- Updated: \d{4}-\S+Z$/,
  /^- Todos: \d+ of \d+ done$/,
  /^- (?:Phase \d+|Current todo|Still owed|Attempt before|Abandoned list): /,
  /^- (?:`.*\/`|Other folders): \d+ more files?, /,
  /^- No files\.$/,
];

/** Purposes of files by path. */
export type Purposes = ReadonlyMap<string, string>;

/**
 * Returns the memory with its summary brought up to date: when it was made, the current state, and the files, newest change first. A
 * memory without a summary gets one at its end. Every line that the system did not write is kept, also within the summary.
 */
export function refreshSummary(memory: string, state: PhaseState, now: Date): string {
  return setSummary(memory, state, now, readPurposes(memory));
}

/** Returns the memory with another purpose of a file; an empty text removes it. */
export function setPurpose(memory: string, path: string, purpose: string, state: PhaseState, now: Date): string {
  const purposes = new Map(readPurposes(memory));
  if (purpose === '') purposes.delete(path);
  else purposes.set(path, purpose);
  return setSummary(memory, state, now, purposes);
}

function setSummary(memory: string, state: PhaseState, now: Date, purposes: Purposes): string {
  const { before, kept, after } = splitSummary(memory.replaceAll('\r\n', '\n').replace(/\n+$/, '').split('\n'));
  const block = [
    BEGIN,
    `## ${STATE_HEADING}`,
    '',
    ...listState(state, now),
    '',
    `## ${FILES_HEADING}`,
    '',
    ...listFiles(state.tree, purposes),
    END,
  ];
  const rest = dropBlankEnd([...kept, ...after]);
  return [...(before.length > 0 ? [...before, ''] : []), ...block, ...(rest.length > 0 ? ['', ...rest] : []), ''].join(
    '\n',
  );
}

/** Reads the purposes that the summary of a memory contains. */
export function readPurposes(memory: string): Purposes {
  const lines = memory.split(/\r?\n/);
  const begin = lines.findIndex((line) => IS_BEGIN.test(line.trim()));
  const end = lines.findIndex((line, index) => index > begin && line.trim() === END);
  const summary = begin < 0 ? [] : lines.slice(begin, end < 0 ? lines.length : end);
  const purposes = summary.flatMap((line): [string, string][] => {
    const [, path, purpose = ''] = FILE_LINE.exec(line.trimEnd()) ?? [];
    return path === undefined || purpose.trim() === '' ? [] : [[path, purpose.trim()]];
  });
  return new Map(purposes);
}

/** Returns the current phase, its place in the plan, its progress, and what it inherits. */
export function listState({ start, todos: { list: todos } }: PhaseState, now: Date): readonly string[] {
  const { identity, plan, previousFailure } = start;
  const done = todos.length - openTodos(todos).length;
  const current = currentTodo(todos);
  const attempt = identity.attempt > 1 ? `, attempt ${identity.attempt}` : '';
  const shorten = (text: string): string => clip(toSingleLine(text), MAX_REASON_CHARACTERS);
  return [
    `- Updated: ${formatTime(now.toISOString())}`,
    `- Phase ${identity.phase}: ${toSingleLine(identity.name)}${renderPlanPlace(plan)} (${identity.kind}${attempt})`,
    ...(todos.length > 0 ? [`- Todos: ${done} of ${todos.length} done`] : []),
    ...(current ? [`- Current todo: ${current.id}. ${toSingleLine(current.content)}`] : []),
    ...(plan.obligations ? [`- Still owed: ${plan.obligations.length} todos of earlier lists`] : []),
    ...(previousFailure
      ? [
          `- Attempt before: phase ${previousFailure.phase} failed (${previousFailure.code}): ${shorten(previousFailure.message)}`,
        ]
      : []),
    ...(plan.rewound ? [`- Abandoned list: phase ${plan.rewound.phase}: ${shorten(plan.rewound.issue)}`] : []),
  ];
}

/**
 * Returns the files that have a purpose and the ones that changed last, each with its size and the time of its last change. A line per
 * folder counts the others, so that 20,000 files need no more lines than 50.
 */
export function listFiles(tree: PhaseTree, purposes: Purposes = new Map()): readonly string[] {
  const files = Object.entries(tree).filter(([path]) => path !== MEMORY_FILE && !GIT_DATA.test(path));
  if (files.length === 0) return ['- No files.'];
  const described = files.filter(([path]) => purposes.has(path));
  const others = files.filter(([path]) => !purposes.has(path));
  const newest = others
    .filter(([path]) => !FOLDED.test(path))
    .sort(byLastChange)
    .slice(0, MAX_FILES);
  const shown = new Set(newest.map(([path]) => path));
  return [
    ...[...described, ...newest].sort(byLastChange).map(([path, { size, writtenAt }]) => {
      const purpose = purposes.get(path);
      const line = `- \`${path}\` (${size} bytes, changed ${formatTime(writtenAt)})`;
      return purpose === undefined ? line : `${line}: ${purpose}`;
    }),
    ...foldFolders(others.filter(([path]) => !shown.has(path))),
  ];
}

type File = readonly [path: string, entry: FileEntry];

function foldFolders(files: readonly File[]): readonly string[] {
  const folders = new Map<string, { files: number; bytes: number; changed: string }>();
  for (const [path, { size, writtenAt }] of files) {
    const slash = path.indexOf('/');
    const folder = slash < 0 ? './' : path.slice(0, slash + 1);
    const { files: count, bytes, changed } = folders.get(folder) ?? { files: 0, bytes: 0, changed: '' };
    folders.set(folder, {
      files: count + 1,
      bytes: bytes + size,
      changed: writtenAt > changed ? writtenAt : changed,
    });
  }
  const sorted = [...folders].sort(([, left], [, right]) => (left.changed < right.changed ? 1 : -1));
  const rest = sorted.slice(MAX_FOLDERS);
  const total = (pick: (folder: { files: number; bytes: number }) => number): number =>
    rest.reduce((sum, [, folder]) => sum + pick(folder), 0);
  return [
    ...sorted
      .slice(0, MAX_FOLDERS)
      .map(
        ([folder, { files: count, bytes, changed }]) =>
          `- \`${folder}\`: ${formatCount(count)}, ${bytes} bytes, changed ${formatTime(changed)}; see list_files`,
      ),
    ...(rest.length > 0
      ? [
          `- Other folders: ${formatCount(total((one) => one.files))}, ${total((one) => one.bytes)} bytes; see list_files`,
        ]
      : []),
  ];
}

function formatCount(count: number): string {
  return count === 1 ? '1 more file' : `${count} more files`;
}

/** Newest change first; the order of equal times is that of their paths. */
function byLastChange([leftPath, left]: File, [rightPath, right]: File): number {
  if (left.writtenAt !== right.writtenAt) return left.writtenAt < right.writtenAt ? 1 : -1;
  return leftPath < rightPath ? -1 : 1;
}

/** Cuts the fraction of a second from a timestamp. */
function formatTime(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}

/** Splits a memory around its summary. `kept` contains the lines within it that the system did not write. */
function splitSummary(lines: readonly string[]): {
  readonly before: readonly string[];
  readonly kept: readonly string[];
  readonly after: readonly string[];
} {
  const begin = lines.findIndex((line) => IS_BEGIN.test(line.trim()));
  if (begin < 0) return { before: dropBlankEnd(lines), kept: [], after: [] };
  const ended = lines.findIndex((line, index) => index > begin && line.trim() === END);
  // Without its last line, the summary ends before the first line that the system does not write.
  const open = lines.findIndex((line, index) => index > begin && line.trim() !== '' && !isSummaryLine(line));
  const end = ended >= 0 ? ended : open < 0 ? lines.length : open;
  const kept = lines.slice(begin + 1, end).filter((line) => line.trim() !== '' && !isSummaryLine(line));
  const rest = lines.slice(ended >= 0 ? end + 1 : end);
  const after = dropBlankEnd(
    rest.slice(
      Math.max(
        0,
        rest.findIndex((line) => line.trim() !== ''),
      ),
    ),
  );
  return { before: dropBlankEnd(lines.slice(0, begin)), kept: kept.length > 0 ? [...kept, ''] : [], after };
}

function isSummaryLine(line: string): boolean {
  const text = line.trimEnd();
  return FILE_LINE.test(text) || SUMMARY_LINES.some((pattern) => pattern.test(text));
}

function dropBlankEnd(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, last + 1);
}
