/** A file that the phase shows, as it was at the beginning. */
export interface ShownFile {
  readonly path: string;
  readonly text: string;
}

/** Maximum characters of all shown files: about a quarter of a small model's context. What is longer is cut, with a reference to the file. */
const MAX_CHARACTERS = 64_000;

/** Renders the files that the state of the workflow shows, for the first user message: what they say has no authority of the system. */
export function renderShownFiles(files: readonly ShownFile[]): readonly string[] {
  if (files.length === 0) return [];
  let room = MAX_CHARACTERS;
  const parts = files.flatMap(({ path, text }) => {
    const shown = text.slice(0, Math.max(0, room));
    room -= shown.length;
    const isCut = shown.length < text.length;
    const fence = '`'.repeat(Math.max(3, findLongestFence(shown) + 1));
    return [
      ...['', `### ${path}`, `${fence}${getLanguage(path)}`, shown.trimEnd(), fence],
      ...(isCut ? [`[${path} is cut here: it has ${text.length} characters.]`] : []),
    ];
  });
  return ['', '## Files', 'The files of this task, as they were when the phase began.', ...parts];
}

/** The language of a file, from its extension; empty if it has none. */
function getLanguage(path: string): string {
  return /\.([a-z0-9]{1,10})$/.exec(path)?.[1] ?? '';
}

function findLongestFence(text: string): number {
  return [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length), 0);
}
