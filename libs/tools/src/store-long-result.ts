import { toWellFormedText } from '@phaseline/basics';
import type { CallId } from '@phaseline/contracts';
import { RESULTS_DIRECTORY, resultPath } from '@phaseline/domain';
import { MAX_FILE_BYTES, type FileChange, type Tree } from '@phaseline/workspace';
import { clipResult } from './clip-result.js';

/** Maximum characters of a stored result that stay in the conversation: enough to recognise it, about a thousand tokens. */
const MAX_PREVIEW_CHARACTERS = 4_000;
/** Fraction of the preview taken from the beginning of the result; the rest comes from its end. */
const HEAD_FRACTION = 0.75;

export interface ResultDestination {
  readonly callId: CallId;
  readonly tree: Tree;
  /** `limits.resultCharacters` of the agent. A longer result is stored as a file. */
  readonly maxCharacters: number;
  /** Whether the phase offers `read_file`, so that the preview can refer to it. */
  readonly canReadFiles: boolean;
}

/** The text of a result for the conversation, and the file with the whole result, to be committed when the call ends. */
export interface StoredResult {
  readonly content: string;
  readonly files: readonly FileChange[];
}

/**
 * Prepares a result for the model. A result longer than the limit is stored unchanged as a workspace file, and the conversation
 * gets its beginning, its end and the path of the file. It is clipped only when the file cannot be created.
 */
export function storeLongResult(text: string, place: ResultDestination): StoredResult {
  const clean = toWellFormedText(text);
  if (clean.length <= place.maxCharacters) return { content: clean, files: [] };
  const path = resultPath(place.callId);
  const content = new TextEncoder().encode(clean);
  if (!isPathFree(place.tree, path) || content.byteLength > MAX_FILE_BYTES)
    return { content: clipResult(clean, place.maxCharacters), files: [] };
  return { content: buildPreview(clean, path, content.byteLength, place), files: [{ path, content }] };
}

/** Whether the path is free. Agents cannot write to the results directory, but the job may have been submitted with such files. */
function isPathFree(tree: Tree, path: string): boolean {
  return !Object.hasOwn(tree, RESULTS_DIRECTORY) && !Object.keys(tree).some((other) => other.startsWith(`${path}/`));
}

function buildPreview(
  text: string,
  path: string,
  bytes: number,
  { maxCharacters, canReadFiles }: ResultDestination,
): string {
  const shown = Math.min(MAX_PREVIEW_CHARACTERS, Math.floor(maxCharacters * 0.9));
  const head = sliceCharacters(text, Math.floor(shown * HEAD_FRACTION));
  const tail = text.slice(sliceCharacters(text, text.length - (shown - head.length)).length);
  const from = Buffer.byteLength(head);
  const to = bytes - Buffer.byteLength(tail);
  const lines = countLines(text);
  const how = canReadFiles
    ? ` Read the rest with read_file, by lines (from_line, to_line) or by bytes (from_byte ${from} continues after the beginning).`
    : '';
  return [
    `[This result is long: ${text.length} characters, ${bytes} bytes, ${lines} ${lines === 1 ? 'line' : 'lines'}. The full text is in ${path}; its beginning and end follow.${how}]`,
    head,
    `[… bytes ${from} to ${to} of ${bytes} are only in ${path} …]`,
    tail,
  ].join('\n');
}

/** Number of lines; a trailing newline does not start another line. Counts without splitting: a text may have millions of lines. */
function countLines(text: string): number {
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** Returns the first `length` UTF-16 units of a text, or one fewer when the cut would split a surrogate pair. */
function sliceCharacters(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
