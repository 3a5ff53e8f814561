import type { InboxItem } from '@phaseline/client';
import type { AdmittedCall, PhaseState } from '@phaseline/domain';
import type { Blobs } from '@phaseline/event-store';
import { createPatch, MAX_DIFF_BYTES, readSmallText } from '@phaseline/time-travel';

type Change = NonNullable<NonNullable<InboxItem['approval']>['change']>;

/** Texts of a file before and after a call. `undefined` after: the file is deleted. */
type Edit = (before: string, args: Readonly<Record<string, unknown>>) => string | undefined;

const readArgument = (args: Readonly<Record<string, unknown>>, name: string): string => {
  const value = args[name];
  return typeof value === 'string' ? value : '';
};

/** What the tools that change one file would do to it. */
const edits: Readonly<Record<string, Edit>> = {
  write_file: (_before, args) => readArgument(args, 'content'),
  append_file: (before, args) => `${before}${readArgument(args, 'content')}`,
  edit_file: (before, args) => {
    const [from, to] = [readArgument(args, 'old_text'), readArgument(args, 'new_text')];
    if (from === '') return before;
    return args['replace_all'] === true ? before.replaceAll(from, () => to) : before.replace(from, () => to);
  },
  delete_file: () => undefined,
};

/** Returns what a call would change in a file, compared with the file as it is now; undefined for other tools. */
export async function describeFileChange(
  tree: PhaseState['tree'],
  { name, arguments: args }: Pick<AdmittedCall, 'name' | 'arguments'>,
  blobs: Pick<Blobs, 'get'>,
): Promise<Change | undefined> {
  const edit = Object.hasOwn(edits, name) ? edits[name] : undefined;
  const path = readArgument(args, 'path').replace(/^(?:\.?\/)+/, '');
  if (!edit || path === '') return undefined;
  const file = Object.hasOwn(tree, path) ? tree[path] : undefined;
  if ((file?.size ?? 0) > MAX_DIFF_BYTES) return { path, omittedBecause: 'too-large' };
  const before = await readSmallText(file, blobs);
  if (before === undefined) return { path, omittedBecause: 'not-text' };
  const after = edit(before, args);
  if ((after?.length ?? 0) > MAX_DIFF_BYTES) return { path, omittedBecause: 'too-large' };
  const patch = createPatch(path, file ? before : undefined, after);
  return patch === undefined ? { path, omittedBecause: 'too-different' } : { path, patch };
}
