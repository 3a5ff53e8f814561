import type { JsonObject } from '@phaseline/basics';
import type { PhaseState } from '@phaseline/domain';
import type { Blobs } from '@phaseline/event-store';
import { LineSources, parseSourceIndex, readSmallText, type SourceOfLine } from '@phaseline/time-travel';
import { SOURCES_DIRECTORY } from '@phaseline/workspace';

/** Longer texts are not searched: a person decides about them by the file, not by the inbox. */
const MAX_CHARACTERS = 200_000;
/** Maximum number of sources per call. */
const MAX_SOURCES = 50;

/** Finds what the texts in the arguments of a call cite, each source once. */
export async function findCitedSources(
  tree: PhaseState['tree'],
  args: JsonObject,
  blobs: Pick<Blobs, 'get'>,
): Promise<readonly SourceOfLine[]> {
  const texts = Object.entries(args).flatMap(([name, value]) =>
    name !== 'path' && typeof value === 'string' && value.length <= MAX_CHARACTERS ? [value] : [],
  );
  if (texts.length === 0) return [];
  const path = typeof args['path'] === 'string' ? args['path'] : '';
  const index = tree[`${SOURCES_DIRECTORY}/index.jsonl`];
  const sources = parseSourceIndex((index && (await readSmallText(index, blobs))) ?? '');
  const lookup = { sources, hasFile: (file: string) => Object.hasOwn(tree, file) };
  const found = new Map<string, SourceOfLine>();
  for (const text of texts) {
    const lines = text.split('\n');
    for (const source of new LineSources(path, text, lines, lookup).find(1, lines.length))
      found.set(JSON.stringify(source), source);
  }
  return [...found.values()].slice(0, MAX_SOURCES);
}
