import { clip } from '@phaseline/basics';
import { vectorsSpec } from '@phaseline/pack-specs';
import type { ToolRun, RemoteToolContext } from '@phaseline/tools';
import type { ChunkHit } from './chunks/chunk-store.js';
import { describeRemoval, readFileStates, indexFiles } from './chunks/index-files.js';
import { foldCopies } from '../fold-copies.js';
import { openIndex, type VectorsHost } from './vectors-host.js';

/** Time that a search may spend on indexing files. The next search continues. */
const INDEXING_TIMEOUT_MS = 60_000;
const MAX_SNIPPET_CHARACTERS = 800;

export function semanticSearch(host: VectorsHost): ToolRun<typeof vectorsSpec, 'semantic_search'> {
  return async (context, { query, limit, folder }) => {
    const { store, embedder, scope } = await openIndex(host, context);
    const known = await readFileStates(store, scope, context);
    const removal = await describeRemoval(store, scope, known);
    const wanted = known.filter(({ path }) => path.startsWith(folder ?? ''));
    const states = await indexFiles(store, embedder, scope, context, wanted, performance.now() + INDEXING_TIMEOUT_MS);
    const hashes = [...new Set(states.filter(({ chunks = 0 }) => chunks > 0).map(({ hash }) => hash))];
    const [vector] = await embedder.embed([query], context.signal);
    const hits = await store.findNearest(scope, hashes, vector ?? new Float32Array(), {
      limit,
      chunks: states.reduce((sum, { chunks = 0 }) => sum + chunks, 0),
      signal: context.signal,
    });
    // A score of 0 or less means nothing in common with the query.
    const found = hits.filter(({ score }) => score > 0);
    const pathsOf = new Map<string, string[]>();
    for (const { path, hash } of states) pathsOf.set(hash, [...(pathsOf.get(hash) ?? []), path]);
    const read: Passage[] = [];
    for (const hit of found) read.push(await readPassage(context, hit, pathsOf.get(hit.fileHash) ?? []));
    const passages = foldCopies(read, { place: describePlace, text: ({ words }) => words });
    const notIndexed = states.filter(({ chunks }) => chunks === undefined);
    return {
      content: [
        found.length === 0 ? 'No results.' : `${passages.length} passages. ${embedder.note}`,
        ...removal,
        ...passages.map(({ first, copies }) => formatPassage(first, copies)),
        ...(notIndexed.length > 0
          ? [
              `[… ${notIndexed.length} files have not been searched yet, such as ${notIndexed[0]?.path ?? ''}; call again, or narrow the folder …]`,
            ]
          : []),
      ].join('\n\n'),
    };
  };
}

interface Passage {
  readonly hit: ChunkHit;
  readonly path: string;
  /** Other files with the same content. */
  readonly sameFiles: readonly string[];
  readonly words: string;
}

async function readPassage(context: RemoteToolContext, hit: ChunkHit, paths: readonly string[]): Promise<Passage> {
  const [path = '', ...sameFiles] = paths;
  const bytes = await context.workspace.read(path);
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  const words = lines
    .slice(hit.from - 1, hit.to)
    .join('\n')
    .trim();
  return { hit, path, sameFiles, words };
}

function describePlace({ path, hit: { from, to } }: Passage): string {
  return `${path}, lines ${from}–${to}`;
}

function formatPassage(passage: Passage, copies: readonly Passage[]): string {
  const { hit, sameFiles, words } = passage;
  const same = sameFiles.length > 0 ? `, the same as ${sameFiles.slice(0, 3).join(', ')}` : '';
  const also = copies.length > 0 ? `; also at ${copies.slice(0, 3).map(describePlace).join('; ')}` : '';
  return `${describePlace(passage)} (${hit.score.toFixed(2)}${same}${also}):\n${clip(words, MAX_SNIPPET_CHARACTERS)}`;
}
