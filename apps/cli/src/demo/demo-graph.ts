import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { loadGraph } from '@phaseline/graph';
import type { OpenedGraph } from '../graph/open-graph.js';
import { readGraphFile } from '../graph/load.js';
import { definitionFolders } from '../agents/definition-folders.js';

/** What stands in the graph at the end of a demo. */
export interface GraphFigures {
  readonly requirements: number;
  readonly fulfilled: number;
  readonly notFulfilled: number;
  readonly undecided: number;
}

/**
 * Puts what an agent brings along for demonstrations, `example/graph.json` in its folder, into a graph. Returns how many nodes,
 * undefined where it brings none. For the job of `call`: made again for the same one, it changes nothing.
 */
export async function seedGraph(
  { graph, metamodel, limits }: OpenedGraph,
  agent: string,
  options: { readonly env: NodeJS.ProcessEnv; readonly jobId: string },
): Promise<number | undefined> {
  const path = await exampleGraph(definitionFolders(options.env).agentsDir, agent);
  if (path === undefined) return undefined;
  const call = { jobId: options.jobId, callId: `example of ${agent}` };
  const file = await readGraphFile(path);
  return (await loadGraph(graph, file, { call, limits: limits(1), metamodel })).nodes;
}

/** The file in the last of the folders that has one. */
async function exampleGraph(folders: readonly string[], agent: string): Promise<string | undefined> {
  for (const folder of folders.toReversed()) {
    const path = join(folder, agent, 'example', 'graph.json');
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

/** Counts of the requirements in a graph. */
export async function graphFigures({ graph, limits }: OpenedGraph): Promise<GraphFigures> {
  const count = async (condition: string): Promise<number> => {
    const { rows } = await graph.read(`MATCH (r:Requirement)${condition} RETURN count(r)`, {}, limits(1));
    return Number(rows[0]?.[0] ?? 0);
  };
  const requirements = await count('');
  const fulfilled = await count(' WHERE (r)-[:FULFILLED_BY]->()');
  const notFulfilled = await count(' WHERE (r)-[:NOT_FULFILLED_BY]->() AND NOT (r)-[:FULFILLED_BY]->()');
  return { requirements, fulfilled, notFulfilled, undecided: requirements - fulfilled - notFulfilled };
}
