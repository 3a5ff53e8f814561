import { existsSync } from 'node:fs';
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
  // The last folder that has one.
  const path = getDefinitionFolders(options.env)
    .agentsDir.map((folder) => join(folder, agent, 'example', 'graph.json'))
    .findLast((file) => existsSync(file));
  if (path === undefined) return undefined;
  const call = { jobId: options.jobId, callId: `example of ${agent}` };
  const file = await readGraphFile(path);
  return (await loadGraph(graph, file, { call, limits: limits(1), metamodel })).nodes;
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
