import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobId } from '@phaseline/contracts';
import { loadGraph } from '@phaseline/graph';
import type { OpenedGraph } from '../graph/open-graph.js';
import { readGraphFile } from '../graph/load.js';
import { getDefinitionFolders } from '../agents/definition-folders.js';

/** Counts of the requirements in the graph at the end of a demo. */
export interface GraphFigures {
  readonly requirements: number;
  readonly fulfilled: number;
  readonly notFulfilled: number;
  readonly undecided: number;
}

/**
 * Loads an agent's example graph, `example/graph.json` in its folder. Returns the number of nodes, or undefined if the agent has no
 * example. Loading again for the same job changes nothing.
 */
export async function seedGraph(
  { graph, metamodel, limits }: OpenedGraph,
  agent: string,
  options: { readonly env: NodeJS.ProcessEnv; readonly jobId: JobId },
): Promise<number | undefined> {
  const path = await findExampleGraph(getDefinitionFolders(options.env).agentsDir, agent);
  if (path === undefined) return undefined;
  const call = { jobId: options.jobId, callId: `example of ${agent}` };
  const file = await readGraphFile(path);
  return (await loadGraph(graph, file, { call, limits: limits(1), metamodel })).nodes;
}

/** Returns the file in the last folder that has one. */
async function findExampleGraph(folders: readonly string[], agent: string): Promise<string | undefined> {
  for (const folder of folders.toReversed()) {
    const path = join(folder, agent, 'example', 'graph.json');
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) return path;
  }
  return undefined;
}

/** Counts the requirements in a graph. */
export async function countRequirementsInGraph({ graph, limits }: OpenedGraph): Promise<GraphFigures> {
  const count = async (condition: string): Promise<number> => {
    const { rows } = await graph.read(`MATCH (r:Requirement)${condition} RETURN count(r)`, {}, limits(1));
    return Number(rows[0]?.[0] ?? 0);
  };
  const requirements = await count('');
  const fulfilled = await count(' WHERE (r)-[:FULFILLED_BY]->()');
  const notFulfilled = await count(' WHERE (r)-[:NOT_FULFILLED_BY]->() AND NOT (r)-[:FULFILLED_BY]->()');
  return { requirements, fulfilled, notFulfilled, undecided: requirements - fulfilled - notFulfilled };
}
