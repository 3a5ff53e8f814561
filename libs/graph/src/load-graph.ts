import type { Metamodel } from '@phaseline/contracts';
import { z } from 'zod';
import type { Value } from './cypher/values.js';
import type { Graph, GraphCall, GraphLimits } from './graph.js';

const nameSchema = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'expected a name of letters, digits and _');
const scalarSchema = z.union([z.string().max(8_000), z.number(), z.boolean()]);
const propertiesSchema = z.record(nameSchema, z.union([scalarSchema, z.array(scalarSchema).max(100)]));
const endSchema = z.tuple([nameSchema, z.string().min(1).max(500)]);

/**
 * Format of a graph file: nodes by label, and relationships between them. The end of a relationship is given by its label and
 * the value of that label's key, for example `["Message", "SubmitPackage"]`.
 */
const graphFileSchema = z.strictObject({
  $schema: z.string().optional(),
  nodes: z.record(nameSchema, z.array(propertiesSchema).max(20_000)),
  relationships: z
    .array(
      z.strictObject({ from: endSchema, type: nameSchema, to: endSchema, properties: propertiesSchema.default({}) }),
    )
    .max(50_000)
    .default([]),
});
export type GraphFile = z.infer<typeof graphFileSchema>;

/** A graph file that is malformed or violates the metamodel. `problems` lists each problem with its location. */
class GraphFileUnusable extends Error {
  override readonly name = 'GraphFileUnusable';
  readonly code = 'graph_file_unusable';
  constructor(readonly problems: readonly string[]) {
    super(['The graph file cannot be loaded:', ...problems.slice(0, 20).map((problem) => `  ${problem}`)].join('\n'));
  }
}

/** Validates the format of a graph file. Throws GraphFileUnusable. */
export function parseGraphFile(content: unknown): GraphFile {
  const parsed = graphFileSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  throw new GraphFileUnusable(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
}

/**
 * Loads nodes and relationships into a graph in one transaction. An existing node with the same key gets the properties from
 * the file, so loading a file twice changes nothing. Returns the numbers of nodes and relationships in the file. Throws
 * GraphFileUnusable.
 */
export async function loadGraph(
  graph: Graph,
  file: GraphFile,
  at: { readonly call: GraphCall; readonly limits: GraphLimits; readonly metamodel: Metamodel },
): Promise<{ readonly nodes: number; readonly relationships: number }> {
  const problems = findProblems(file, at.metamodel);
  if (problems.length > 0) throw new GraphFileUnusable(problems);
  const keyOf = (label: string): string => at.metamodel.labels[label]?.key ?? '';
  await graph.change(at.call, at.limits, async (ask) => {
    for (const [label, nodes] of Object.entries(file.nodes)) {
      const key = keyOf(label);
      // Labels, types and keys are validated names, so they are safe in the query text.
      for (const node of nodes)
        await ask(`MERGE (n:${label} {${key}: $key}) SET n += $all`, { key: node[key] as Value, all: node as Value });
    }
    for (const { from, type, to, properties: all } of file.relationships)
      await ask(
        `MATCH (a:${from[0]}) WHERE a.${keyOf(from[0])} = $from MATCH (b:${to[0]}) WHERE b.${keyOf(to[0])} = $to ` +
          `MERGE (a)-[r:${type}]->(b) SET r += $all`,
        { from: from[1], to: to[1], all: all as Value },
      );
    return 'loaded';
  });
  const nodes = Object.values(file.nodes).reduce((sum, list) => sum + list.length, 0);
  return { nodes, relationships: file.relationships.length };
}

function findProblems({ nodes, relationships }: GraphFile, metamodel: Metamodel): readonly string[] {
  const problems: string[] = [];
  const known = new Set<string>();
  for (const [label, list] of Object.entries(nodes)) {
    const rule = Object.hasOwn(metamodel.labels, label) ? metamodel.labels[label] : undefined;
    if (!rule?.key) {
      const allowed = Object.keys(metamodel.labels).join(', ');
      problems.push(
        `nodes.${label}: ${rule ? 'this label has no key' : 'this label is not in the metamodel'}; known labels: ${allowed}`,
      );
      continue;
    }
    for (const [index, node] of list.entries()) {
      const missing = rule.required.filter((property) => node[property] === undefined);
      if (missing.length > 0) problems.push(`nodes.${label}[${index}]: ${missing.join(', ')} is missing`);
      known.add(JSON.stringify([label, node[rule.key]]));
    }
  }
  for (const [index, { from, type, to }] of relationships.entries()) {
    const allowed = metamodel.relationships.some((r) => r.from === from[0] && r.type === type && r.to === to[0]);
    if (!allowed)
      problems.push(`relationships[${index}]: (:${from[0]})-[:${type}]->(:${to[0]}) is not in the metamodel`);
    for (const end of [from, to])
      if (!known.has(JSON.stringify(end)))
        problems.push(`relationships[${index}]: the file has no ${end[0]} '${end[1]}'`);
  }
  return problems;
}
