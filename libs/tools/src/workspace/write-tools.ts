import { z } from 'zod';
import type { PhaseState } from '@phaseline/domain';
import { hashAhead, workspacePath } from '@phaseline/workspace';
import { takeTurn } from '../yield-loop.js';
import { logTool } from '../tool.js';
import { ToolError } from '../tool-error.js';
import { encodeText, readText } from './file-text.js';
import { readOnlyReason } from './read-only.js';

const path = z.string().max(500).describe('Path relative to the workspace, such as output/summary.md');
/** Characters from which on a change is made in several turns of the event loop. */
const LARGE_TEXT = 256 * 1024;
const content = z.string().max(2_000_000);

/** Bytes of a text. A large one is encoded and hashed in several turns of the event loop. */
async function encodeInTurns(text: string): Promise<Uint8Array> {
  if (text.length <= LARGE_TEXT) return encodeText(text);
  await takeTurn();
  const bytes = encodeText(text);
  await takeTurn();
  hashAhead(bytes);
  await takeTurn();
  return bytes;
}

/** The path in its one spelling, refused where the agent has no business: as `readOnlyReason` says. */
function writable(state: PhaseState, wanted: string): string {
  const clean = workspacePath(wanted);
  const reason = readOnlyReason(clean, state.start.kind);
  if (reason !== undefined) throw new ToolError('read_only', reason);
  return clean;
}

export const writeFile = logTool({
  name: 'write_file',
  description: 'Writes a text file of the workspace, replacing what was there. Folders are made as needed.',
  input: z.object({ path, content }),
  run: async ({ state }, input) => {
    const clean = writable(state, input.path);
    const bytes = await encodeInTurns(input.content);
    return { content: `Wrote ${clean} (${bytes.byteLength} bytes).`, files: [{ path: clean, content: bytes }] };
  },
});

export const appendFile = logTool({
  name: 'append_file',
  description: 'Adds text at the end of a file of the workspace; makes the file when it is not there.',
  input: z.object({ path, content }),
  run: async ({ state, workspace }, input) => {
    const clean = writable(state, input.path);
    const before = workspace.tree[clean] ? await readText(workspace, clean) : '';
    const bytes = await encodeInTurns(before + input.content);
    return {
      content: `Appended to ${clean} (now ${bytes.byteLength} bytes).`,
      files: [{ path: clean, content: bytes }],
    };
  },
});

export const editFile = logTool({
  name: 'edit_file',
  description: 'Replaces a piece of a text file. old_text must occur exactly once, unless replace_all is true.',
  input: z.object({
    path,
    old_text: z.string().min(1).max(200_000).describe('The text to replace, exactly as it stands in the file'),
    new_text: z.string().max(200_000),
    replace_all: z.boolean().default(false),
  }),
  run: async ({ state, workspace }, input) => {
    const clean = writable(state, input.path);
    const text = await readText(workspace, clean);
    const pieces = text.split(input.old_text);
    const found = pieces.length - 1;
    if (found === 0)
      throw new ToolError(
        'text_not_found',
        `old_text does not occur in ${clean}. Read the file and copy the text exactly.`,
      );
    if (found > 1 && !input.replace_all) {
      throw new ToolError(
        'text_ambiguous',
        `old_text occurs ${found} times in ${clean}. Give more of its surroundings, or set replace_all.`,
      );
    }
    const bytes = await encodeInTurns(pieces.join(input.new_text));
    return {
      content: `Replaced ${found} ${found === 1 ? 'place' : 'places'} in ${clean}.`,
      files: [{ path: clean, content: bytes }],
    };
  },
});

export const deleteFile = logTool({
  name: 'delete_file',
  description: 'Deletes a file of the workspace.',
  input: z.object({ path }),
  run: async ({ state, workspace }, input) => {
    const clean = writable(state, input.path);
    if (!workspace.tree[clean]) throw new ToolError('file_not_found', `There is no file ${clean}.`);
    return { content: `Deleted ${clean}.`, files: [{ path: clean, deleted: true }] };
  },
});
