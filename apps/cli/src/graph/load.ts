import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { loadGraph, parseGraphFile, type GraphFile } from '@phaseline/graph';
import type { CommandContext } from '../command/command-context.js';
import { GraphFileRefused } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { pluralise } from '../output/quantities.js';
import { withGraph, type GraphLocation } from './open-graph.js';

/** `phaseline graph load`: loads nodes and relationships from a JSON file. Loading a file again changes nothing. */
export async function loadGraphFile(context: CommandContext, path: string, options: GraphLocation): Promise<ExitCode> {
  const { out, currentDirectory } = context;
  const file = await readGraphFile(resolve(currentDirectory, path));
  const { loaded, name } = await withGraph(context, options, async ({ graph, limits, metamodel, name }) => {
    // Loads need no stable id, because loading twice has the same effect as once.
    const call = { jobId: randomUUID(), callId: 'graph load' };
    return { loaded: await loadGraph(graph, file, { call, limits: limits(1), metamodel }), name };
  });
  if (out.isStructured) out.writeDocument({ graph: name, ...loaded });
  else
    out.writeLines(
      `${pluralise(loaded.nodes, 'node')} and ${pluralise(loaded.relationships, 'relationship')} of ${path} loaded into the graph ${name}.`,
    );
  return exitCode.ok;
}

/** Reads a file of nodes and relationships. Throws GraphFileRefused, GraphFileUnusable. */
export async function readGraphFile(path: string): Promise<GraphFile> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new GraphFileRefused(`${path} cannot be read as JSON: ${(cause as Error).message}`, { cause });
  }
  return parseGraphFile(content);
}
