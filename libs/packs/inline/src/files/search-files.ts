import { workspaceSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { normaliseFolder, type WorkspaceReader } from '@phaseline/workspace';
import { createYielder } from '@phaseline/basics';
import { searchInThread } from './search-in-thread.js';
import type { SearchedFile } from './search-thread.js';

const MAX_HITS = 50;
const MAX_SHOWN_LINE = 240;
/** Larger files are not searched, so that a search stays fast; the result names them. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_SEARCHED_LINE = 4_000;
const MAX_LISTED_FILES = 20;
/** Approximate size of a batch of files. */
const BATCH_BYTES = 1024 * 1024;
const BATCH_FILES = 256;
/** Maximum concurrent reads from the database. */
const MAX_CONCURRENT_READS = 8;

export const searchFiles: ToolRun<typeof workspaceSpec, 'search_files'> = async ({ workspace }, input) => {
  const folder = normaliseFolder(input.path);
  const names = Object.keys(workspace.tree)
    .filter((name) => folder === '' || name === folder || name.startsWith(`${folder}/`))
    .sort();
  const isLarge = (name: string): boolean => workspace.tree[name]!.size > MAX_FILE_BYTES;
  const search = {
    query: input.query,
    regex: input.regex,
    caseSensitive: input.case_sensitive,
    maxHits: MAX_HITS,
    maxSearchedCharacters: MAX_SEARCHED_LINE,
    maxShownCharacters: MAX_SHOWN_LINE,
  };
  const searched = names.filter((name) => !isLarge(name));
  const { hits, omittedHits, isIncomplete } = await searchInThread(search, readBatches(workspace, searched));
  const skipped = names.filter(isLarge);
  const notes = [
    ...(omittedHits > 0 ? [`… and ${omittedHits} more lines; narrow the search.`] : []),
    ...(skipped.length > 0 ? [`Not searched because they are too large: ${formatNames(skipped)}.`] : []),
    ...(isIncomplete
      ? [
          `The search reached its time limit: some of the ${names.length} files were not searched. Search one folder at a time.`,
        ]
      : []),
  ];
  if (hits.length === 0) return { content: [`No matches in ${names.length} files.`, ...notes].join('\n') };
  return { content: [...hits, ...notes].join('\n') };
};

function formatNames(names: readonly string[]): string {
  const rest = names.length - MAX_LISTED_FILES;
  return [...names.slice(0, MAX_LISTED_FILES), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

async function* readBatches(
  workspace: WorkspaceReader,
  names: readonly string[],
): AsyncGenerator<readonly SearchedFile[], void, undefined> {
  const yieldIfDue = createYielder();
  let batch: SearchedFile[] = [];
  let bytes = 0;
  for (let at = 0; at < names.length; at += MAX_CONCURRENT_READS) {
    const group = names.slice(at, at + MAX_CONCURRENT_READS);
    const contents = await Promise.all(group.map((name) => workspace.read(name)));
    for (const [index, content] of contents.entries()) {
      if (!content) continue;
      // Copied, because the buffer is transferred to the thread and may be shared with other readers.
      batch.push({ name: group[index]!, bytes: new Uint8Array(content) });
      bytes += content.byteLength;
    }
    await yieldIfDue();
    if (bytes < BATCH_BYTES && batch.length < BATCH_FILES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
