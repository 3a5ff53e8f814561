import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { workspaceFolder } from '@phaseline/workspace';
import { logTool } from '../tool.js';
import { ToolError } from '../tool-error.js';
import { readText } from './file-text.js';

const MAX_HITS = 50;
const MAX_LINE = 240;
/** Files larger than this are passed over, so that a search stays quick; the answer names them. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_SEARCHED_LINE = 4_000;
/** A pattern from a model can backtrack for ever; the search of one file is ended after this time. */
const PATTERN_TIMEOUT_MS = 500;

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
    const matches = matcher(input.query, input.regex, input.case_sensitive);
    const folder = workspaceFolder(input.path);
    const names = Object.keys(workspace.tree)
      .filter((name) => folder === '' || name === folder || name.startsWith(`${folder}/`))
      .sort();
    const hits: string[] = [];
    const passedOver: string[] = [];
    let more = 0;
    for (const name of names) {
      if (workspace.tree[name]!.size > MAX_FILE_BYTES) {
        passedOver.push(name);
        continue;
      }
      const text = await readText(workspace, name).catch((error: unknown) => {
        if (error instanceof ToolError && error.code === 'not_text') return undefined;
        throw error;
      });
      if (text === undefined) continue;
      const lines = text.split('\n').map((line) => line.slice(0, MAX_SEARCHED_LINE));
      for (const index of matches(lines)) {
        if (hits.length < MAX_HITS) hits.push(`${name}:${index + 1}: ${lines[index]!.trim().slice(0, MAX_LINE)}`);
        else more += 1;
      }
    }
    const notes = [
      ...(more > 0 ? [`… and ${more} more lines; narrow the search.`] : []),
      ...(passedOver.length > 0 ? [`Not searched, too large: ${passedOver.join(', ')}.`] : []),
    ];
    if (hits.length === 0) return { content: [`No line of ${names.length} files matches.`, ...notes].join('\n') };
    return { content: [...hits, ...notes].join('\n') };
  },
});

/** Finds the lines that match, as indexes. */
type Matcher = (lines: readonly string[]) => readonly number[];

function matcher(query: string, regex: boolean, caseSensitive: boolean): Matcher {
  if (regex) return patternMatcher(query, caseSensitive);
  const wanted = caseSensitive ? query : query.toLowerCase();
  return (lines) =>
    lines.flatMap((line, index) => ((caseSensitive ? line : line.toLowerCase()).includes(wanted) ? [index] : []));
}

function patternMatcher(query: string, caseSensitive: boolean): Matcher {
  let pattern: RegExp;
  try {
    pattern = new RegExp(query, caseSensitive ? 'u' : 'iu');
  } catch (cause) {
    throw new ToolError(
      'bad_pattern',
      `The pattern is not a valid regular expression: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
  return (lines) => {
    const found: number[] = [];
    try {
      // The code is ours, only the pattern is not: the context is there for its time limit, which ends a running match.
      runInNewContext(
        'lines.forEach((line, index) => { if (pattern.test(line)) found.push(index); })',
        { lines, pattern, found },
        { timeout: PATTERN_TIMEOUT_MS },
      );
    } catch (cause) {
      throw new ToolError(
        'pattern_too_slow',
        'The pattern takes too long on these files. Write it without nested repetition, or search for a plain text.',
        { cause },
      );
    }
    return found;
  };
}
