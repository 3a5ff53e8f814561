import { z } from 'zod';
import { workspaceFolder, type WorkspaceReader } from '@phaseline/workspace';
import { logTool } from '../tool.js';
import { yielding } from '../yield-loop.js';
import { searchInThread } from './search-in-thread.js';
import type { SearchedFile } from './search-thread.js';

const MAX_HITS = 50;
const MAX_LINE = 240;
/** Files larger than this are passed over, so that a search stays quick; the answer names them. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_SEARCHED_LINE = 4_000;
const MAX_NAMED = 20;
/** Files are searched in batches of about this size. */
const BATCH_BYTES = 1024 * 1024;
const BATCH_FILES = 256;
/** Files that are read from the database at the same time. */
const READS_AT_ONCE = 8;

export const searchFiles = logTool({
  name: 'search_files',
  description: 'Searches the text files of the workspace, line by line, for a text or a regular expression.',
  input: z.object({
    query: z.string().min(1).max(500),
    path: z.string().max(500).default('').describe('Folder or file to search; empty for the whole workspace'),
    regex: z.boolean().default(false).describe('Take query as a regular expression'),
    case_sensitive: z.boolean().default(false),
  }),
  run: async ({ workspace }, input) => {
    const folder = workspaceFolder(input.path);
    const names = Object.keys(workspace.tree)
      .filter((name) => folder === '' || name === folder || name.startsWith(`${folder}/`))
      .sort();
    const isLarge = (name: string): boolean => workspace.tree[name]!.size > MAX_FILE_BYTES;
    const search = {
      query: input.query,
      regex: input.regex,
      caseSensitive: input.case_sensitive,
      maxHits: MAX_HITS,
      maxSearchedLine: MAX_SEARCHED_LINE,
      maxShownLine: MAX_LINE,
    };
    const searched = names.filter((name) => !isLarge(name));
    const { hits, more, isIncomplete } = await searchInThread(search, readBatches(workspace, searched));
    const passedOver = names.filter(isLarge);
    const notes = [
      ...(more > 0 ? [`… and ${more} more lines; narrow the search.`] : []),
      ...(passedOver.length > 0 ? [`Not searched, too large: ${namedOf(passedOver)}.`] : []),
      ...(isIncomplete
        ? [
            `The time for one search was over: some of the ${names.length} files were not searched. Search one folder at a time.`,
          ]
        : []),
    ];
    if (hits.length === 0) return { content: [`No line of ${names.length} files matches.`, ...notes].join('\n') };
    return { content: [...hits, ...notes].join('\n') };
  },
});

function namedOf(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED;
  return [...names.slice(0, MAX_NAMED), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

async function* readBatches(
  workspace: WorkspaceReader,
  names: readonly string[],
): AsyncGenerator<readonly SearchedFile[], void, undefined> {
  const breathe = yielding();
  let batch: SearchedFile[] = [];
  let bytes = 0;
  for (let at = 0; at < names.length; at += READS_AT_ONCE) {
    const group = names.slice(at, at + READS_AT_ONCE);
    const contents = await Promise.all(group.map((name) => workspace.read(name)));
    for (const [index, content] of contents.entries()) {
      if (!content) continue;
      // A copy of its own, since it is handed over to the thread and its buffer may be shared with others.
      batch.push({ name: group[index]!, bytes: new Uint8Array(content) });
      bytes += content.byteLength;
    }
    await breathe();
    if (bytes < BATCH_BYTES && batch.length < BATCH_FILES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
