import { z } from 'zod';
import type { PhaseState } from '@phaseline/domain';
import {
  MAX_FILE_BYTES,
  normalisePath,
  readText,
  encodeInSlices,
  findOccurrences,
  getReadOnlyReason,
} from '@phaseline/workspace';
import { defineInlineTool } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';

const path = z.string().max(500).describe('Path relative to the workspace, such as output/summary.md');
const content = z.string().max(2_000_000);

/** Returns the normalised path. Throws ToolError when the agent may not change the file, see `readOnlyReason`. */
function requireWritable(state: PhaseState, wanted: string): string {
  const clean = normalisePath(wanted);
  const reason = getReadOnlyReason(clean, state.start.kind);
  if (reason !== undefined) throw new ToolError('read_only', reason);
  return clean;
}

export const writeFile = defineInlineTool({
  name: 'write_file',
  description: 'Writes a text file of the workspace, replacing what was there. Folders are made as needed.',
  input: z.object({ path, content }),
  run: async ({ state }, input) => {
    const clean = requireWritable(state, input.path);
    const bytes = await encodeInSlices([input.content], MAX_FILE_BYTES);
    return { content: `Wrote ${clean} (${bytes.byteLength} bytes).`, files: [{ path: clean, content: bytes }] };
  },
});

export const appendFile = defineInlineTool({
  name: 'append_file',
  description: 'Adds text at the end of a file of the workspace; makes the file when it is not there.',
  input: z.object({ path, content }),
  run: async ({ state, workspace }, input) => {
    const clean = requireWritable(state, input.path);
    const before = workspace.tree[clean] ? await readText(workspace, clean) : '';
    const bytes = await encodeInSlices([before, input.content], MAX_FILE_BYTES);
    return {
      content: `Appended to ${clean} (now ${bytes.byteLength} bytes).`,
      files: [{ path: clean, content: bytes }],
    };
  },
});

export const editFile = defineInlineTool({
  name: 'edit_file',
  description: 'Replaces a piece of a text file. old_text must occur exactly once, unless replace_all is true.',
  input: z.object({
    path,
    old_text: z.string().min(1).max(200_000).describe('The text to replace, exactly as it stands in the file'),
    new_text: z.string().max(200_000),
    replace_all: z.boolean().default(false),
  }),
  run: async ({ state, workspace }, input) => {
    const clean = requireWritable(state, input.path);
    const text = await readText(workspace, clean);
    const places = await findOccurrences(input.old_text, text);
    const found = places.length;
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
    const bytes = await encodeInSlices(replaceOccurrences(text, places, input), MAX_FILE_BYTES);
    return {
      content: `Replaced ${found} ${found === 1 ? 'place' : 'places'} in ${clean}.`,
      files: [{ path: clean, content: bytes }],
    };
  },
});

/** Yields the result of a replacement in pieces. The whole text could be far larger than the limit, so it is never built. */
function* replaceOccurrences(
  text: string,
  places: readonly number[],
  { old_text: before, new_text: after }: { readonly old_text: string; readonly new_text: string },
): Generator<string, void, undefined> {
  let from = 0;
  for (const at of places) {
    yield text.slice(from, at);
    yield after;
    from = at + before.length;
  }
  yield text.slice(from);
}

export const deleteFile = defineInlineTool({
  name: 'delete_file',
  description: 'Deletes a file of the workspace.',
  input: z.object({ path }),
  run: async ({ state, workspace }, input) => {
    const clean = requireWritable(state, input.path);
    if (!workspace.tree[clean]) throw new ToolError('file_not_found', `There is no file ${clean}.`);
    return { content: `Deleted ${clean}.`, files: [{ path: clean, deleted: true }] };
  },
});
