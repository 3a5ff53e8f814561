import { RESULTS_DIRECTORY, resultPath } from '@phaseline/domain';
import { MAX_FILE_BYTES, type FileChange, type Tree } from '@phaseline/workspace';
import { cleanResult, clipResult } from './clip-result.js';

/** Of a result that went into a file so much stays to be seen: enough to tell what it is, a thousand tokens at most. */
const PREVIEW_CHARACTERS = 4_000;
const HEAD_SHARE = 0.75;

export interface ResultPlace {
  readonly callId: string;
  readonly tree: Tree;
  /** `limits.resultCharacters` of the agent: a longer result becomes a file. */
  readonly limit: number;
  /** Whether the phase offers `read_file`, so that the model can be told to use it. */
  readonly readable: boolean;
}

/** What the conversation gets of a result, and the file that has the whole of it, to be committed with the call's end. */
export interface KeptResult {
  readonly content: string;
  readonly files: readonly FileChange[];
}

/**
 * A result as the model gets it. One that is longer than the limit becomes a file of the workspace, byte for byte, and the
 * conversation keeps its beginning, its end and where the rest is. Only where no such file can be is it cut.
 */
export function keepResult(text: string, place: ResultPlace): KeptResult {
  const clean = cleanResult(text);
  if (clean.length <= place.limit) return { content: clean, files: [] };
  const path = resultPath(place.callId);
  const content = new TextEncoder().encode(clean);
  if (!hasRoom(place.tree, path) || content.byteLength > MAX_FILE_BYTES)
    return { content: clipResult(clean, place.limit), files: [] };
  return { content: preview(clean, path, content.byteLength, place), files: [{ path, content }] };
}

/** The system writes there, so it is free, unless the job was given files of such a name. */
function hasRoom(tree: Tree, path: string): boolean {
  return !Object.hasOwn(tree, RESULTS_DIRECTORY) && !Object.keys(tree).some((other) => other.startsWith(`${path}/`));
}

function preview(text: string, path: string, bytes: number, { limit, readable }: ResultPlace): string {
  const shown = Math.min(PREVIEW_CHARACTERS, Math.floor(limit * 0.9));
  const head = beforeCharacter(text, Math.floor(shown * HEAD_SHARE));
  const tail = text.slice(beforeCharacter(text, text.length - (shown - head.length)).length);
  const from = Buffer.byteLength(head);
  const to = bytes - Buffer.byteLength(tail);
  const lines = countLines(text);
  const how = readable
    ? ` Read more of it with read_file: by lines (from_line, to_line) or by bytes (from_byte ${from} goes on behind the beginning).`
    : '';
  return [
    `[This result is long: ${text.length} characters, ${bytes} bytes, ${lines} ${lines === 1 ? 'line' : 'lines'}. The whole is in ${path}; here are its beginning and its end.${how}]`,
    head,
    `[… bytes ${from} to ${to} of ${bytes} are only in ${path} …]`,
    tail,
  ].join('\n');
}

/** Lines of a text; a line end at its end begins no further line. Counted without a list of them, which may have millions. */
function countLines(text: string): number {
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** The first characters of a text, and not half of one. */
function beforeCharacter(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
