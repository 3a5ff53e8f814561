import { workspaceSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import type { PhaseState } from '@phaseline/domain';
import { normalisePath, readText, encodeInSlices, findOccurrences, getReadOnlyReason } from '@phaseline/workspace';
import { ToolError } from '@phaseline/contracts';

/** Returns the normalised path. Throws ToolError when the agent may not change the file, see `getReadOnlyReason`. */
function requireWritable(state: PhaseState, wanted: string): string {
  const clean = normalisePath(wanted);
  const reason = getReadOnlyReason(clean, state.start.identity.kind);
  if (reason !== undefined) throw new ToolError('read_only', reason);
  return clean;
}

export const writeFile: ToolRun<typeof workspaceSpec, 'write_file'> = async ({ state }, input) => {
  const clean = requireWritable(state, input.path);
  const bytes = await encodeInSlices([input.content]);
  return { content: `Wrote ${clean} (${bytes.byteLength} bytes).`, files: [{ path: clean, content: bytes }] };
};

export const appendFile: ToolRun<typeof workspaceSpec, 'append_file'> = async ({ state, workspace }, input) => {
  const clean = requireWritable(state, input.path);
  const before = workspace.tree[clean] ? await readText(workspace, clean) : '';
  const bytes = await encodeInSlices([before, input.content]);
  return {
    content: `Appended to ${clean} (now ${bytes.byteLength} bytes).`,
    files: [{ path: clean, content: bytes }],
  };
};

export const editFile: ToolRun<typeof workspaceSpec, 'edit_file'> = async ({ state, workspace }, input) => {
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
      `old_text occurs ${found} times in ${clean}. Include more of the surrounding text, or set replace_all.`,
    );
  }
  const bytes = await encodeInSlices(replaceOccurrences(text, places, input));
  return {
    content: `Replaced ${found} ${found === 1 ? 'occurrence' : 'occurrences'} in ${clean}.`,
    files: [{ path: clean, content: bytes }],
  };
};

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

export const deleteFile: ToolRun<typeof workspaceSpec, 'delete_file'> = async ({ state, workspace }, input) => {
  const clean = requireWritable(state, input.path);
  if (!workspace.tree[clean]) throw new ToolError('file_not_found', `There is no file ${clean}.`);
  return { content: `Deleted ${clean}.`, files: [{ path: clean, deleted: true }] };
};
