import { z } from 'zod';
import type { Value } from './cypher/values.js';
import type { Graph, GraphCall, GraphLimits } from './graph.js';
import type { Metamodel } from './metamodel.js';

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'expected a name of letters, digits and _');
const scalar = z.union([z.string().max(8_000), z.number(), z.boolean()]);
const properties = z.record(name, z.union([scalar, z.array(scalar).max(100)]));
const end = z.tuple([name, z.string().min(1).max(500)]);

/**
 * What a graph is given at once: nodes by label, and relationships between them. An end is named by its label and the value
 * of that label's key, such as `["Message", "SubmitPackage"]`.
 */
const graphFileSchema = z.strictObject({
  $schema: z.string().optional(),
  nodes: z.record(name, z.array(properties).max(20_000)),
  relationships: z
    .array(z.strictObject({ from: end, type: name, to: end, properties: properties.default({}) }))
    .max(50_000)
    .default([]),
});
export type GraphFile = z.infer<typeof graphFileSchema>;

/** A file of nodes that the metamodel does not allow; `problems` names each, with its place. */
export class GraphFileUnusable extends Error {
  override readonly name = 'GraphFileUnusable';
  readonly code = 'graph_file_unusable';
  constructor(readonly problems: readonly string[]) {
    super(['The graph cannot take this file:', ...problems.slice(0, 20).map((problem) => `  ${problem}`)].join('\n'));
  }
}

/** A file's content, checked for its form. Throws GraphFileUnusable. */
export function parseGraphFile(content: unknown): GraphFile {
  const parsed = graphFileSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  throw new GraphFileUnusable(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
}

/**
 * Puts nodes and relationships into a graph, in one transaction. A node whose key is there is given the properties of the
 * file, so that loading a file again changes nothing. Returns how many there are of each in the file. Throws GraphFileUnusable.
 */
export async function loadGraph(
  graph: Graph,
  file: GraphFile,
  at: { readonly call: GraphCall; readonly limits: GraphLimits; readonly metamodel: Metamodel },
): Promise<{ readonly nodes: number; readonly relationships: number }> {
  const problems = problemsOf(file, at.metamodel);
  if (problems.length > 0) throw new GraphFileUnusable(problems);
  const keyOf = (label: string): string => at.metamodel.labels[label]?.key ?? '';
  await graph.change(at.call, at.limits, async (ask) => {
    for (const [label, nodes] of Object.entries(file.nodes)) {
      const key = keyOf(label);
      // Labels, types and keys were checked to be names, so they may stand in the query.
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

function problemsOf({ nodes, relationships }: GraphFile, metamodel: Metamodel): readonly string[] {
  const problems: string[] = [];
  const known = new Set<string>();
  for (const [label, list] of Object.entries(nodes)) {
    const rule = Object.hasOwn(metamodel.labels, label) ? metamodel.labels[label] : undefined;
    if (!rule?.key) {
      const allowed = Object.keys(metamodel.labels).join(', ');
      problems.push(
        `nodes.${label}: ${rule ? 'a label without a key' : 'no label of the metamodel'}; known: ${allowed}`,
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
    for (const one of [from, to])
      if (!known.has(JSON.stringify(one)))
        problems.push(`relationships[${index}]: the file has no ${one[0]} '${one[1]}'`);
  }
  return problems;
}
