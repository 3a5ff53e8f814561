import { graphSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { runOnGraph, type GraphOfCall, type GraphHost } from './graph-host.js';
import { readFirstNumber } from './format-result.js';

/** Maximum lines listed per section. */
const MAX_LISTED_LINES = 100;

const limitLines = (lines: readonly string[]): string[] => [
  ...lines.slice(0, MAX_LISTED_LINES),
  ...(lines.length > MAX_LISTED_LINES ? [`[… ${lines.length - MAX_LISTED_LINES} more omitted …]`] : []),
];

export function getDatabaseSchema(host: GraphHost): ToolRun<typeof graphSpec, 'get_database_schema'> {
  return (context) =>
    runOnGraph(host, context, MAX_LISTED_LINES, async ({ graph, metamodel, limits }) => {
      const { labels, relationships } = await graph.schema(limits);
      return {
        content: [
          'In the graph:',
          ...limitLines(
            labels.map(
              ({ label, count, properties }) => `- (:${label}) ${count} nodes; properties: ${properties.join(', ')}`,
            ),
          ),
          ...limitLines(
            relationships.map(
              ({ from, type, to, count }) => `- (:${from.join(':')})-[:${type}]->(:${to.join(':')}) ${count}`,
            ),
          ),
          ...(labels.length === 0 ? ['- nothing yet'] : []),
          'Allowed by the metamodel:',
          ...Object.entries(metamodel.labels).map(
            ([label, { required, key }]) =>
              `- (:${label}) requires ${required.join(', ')}${key === undefined ? '' : `; ${key} is unique`}`,
          ),
          ...metamodel.relationships.map(({ from, type, to }) => `- (:${from})-[:${type}]->(:${to})`),
        ].join('\n'),
      };
    });
}

export function validateSchemaCompliance(host: GraphHost): ToolRun<typeof graphSpec, 'validate_schema_compliance'> {
  return (context) =>
    runOnGraph(host, context, MAX_LISTED_LINES, async (at) => {
      const problems = [...(await findUnknownParts(at)), ...(await findInvalidNodes(at))];
      return {
        content:
          problems.length === 0
            ? 'The graph complies with its metamodel.'
            : [`${problems.length} problems:`, ...limitLines(problems.map((problem) => `- ${problem}`))].join('\n'),
      };
    });
}

async function findUnknownParts({ graph, metamodel, limits }: GraphOfCall): Promise<string[]> {
  const { labels, relationships } = await graph.schema(limits);
  const unknown = labels
    .filter(({ label }) => !Object.hasOwn(metamodel.labels, label))
    .map(({ label, count }) => `unknown label ${label} (${count} nodes)`);
  const wrong = relationships
    .filter(
      ({ from, type, to }) =>
        !metamodel.relationships.some((rule) => rule.type === type && from.includes(rule.from) && to.includes(rule.to)),
    )
    .map(
      ({ from, type, to, count }) =>
        `relationship not allowed: (:${from.join(':')})-[:${type}]->(:${to.join(':')}) (${count})`,
    );
  return [...unknown, ...wrong];
}

async function findInvalidNodes({ graph, metamodel, limits }: GraphOfCall): Promise<string[]> {
  const problems: string[] = [];
  for (const [label, { required, key }] of Object.entries(metamodel.labels)) {
    // Names come from the metamodel, which allows only letters, digits and _, so they are safe in the query text.
    for (const property of required) {
      const missing = await graph.read(
        `MATCH (n:${label}) WHERE n.${property} IS NULL RETURN count(*) AS count`,
        {},
        limits,
      );
      if (readFirstNumber(missing) > 0) problems.push(`${readFirstNumber(missing)} ${label} nodes have no ${property}`);
    }
    if (key === undefined) continue;
    const doubles = await graph.read(
      `MATCH (n:${label}) WHERE n.${key} IS NOT NULL WITH n.${key} AS key, count(*) AS count WHERE count > 1 RETURN key, count ORDER BY key`,
      {},
      limits,
    );
    for (const [value, count] of doubles.rows)
      problems.push(`${String(count)} ${label} nodes share the ${key} ${JSON.stringify(value)}`);
  }
  const { rows } = await graph.read(
    'MATCH (r:Requirement)-[:FULFILLED_BY]->(x)<-[:NOT_FULFILLED_BY]-(r) RETURN DISTINCT r.rid, x.name',
    {},
    limits,
  );
  for (const [rid, name] of rows)
    problems.push(`${String(rid)} is recorded as both fulfilled and not fulfilled by ${String(name)}`);
  return problems;
}

export function countGraphStatistics(host: GraphHost): ToolRun<typeof graphSpec, 'count_graph_statistics'> {
  return (context) =>
    runOnGraph(host, context, MAX_LISTED_LINES, async ({ graph, limits }) => {
      const { labels, relationships } = await graph.schema(limits);
      const types = new Map<string, number>();
      for (const { type, count } of relationships) types.set(type, (types.get(type) ?? 0) + count);
      const count = async (condition: string): Promise<number> =>
        readFirstNumber(
          await graph.read(`MATCH (r:Requirement) WHERE ${condition} RETURN count(*) AS count`, {}, limits),
        );
      const fulfilled = await count('(r)-[:FULFILLED_BY]->()');
      const unfulfilled = await count('(r)-[:NOT_FULFILLED_BY]->() AND NOT (r)-[:FULFILLED_BY]->()');
      const open = await count('NOT (r)-[:FULFILLED_BY]->() AND NOT (r)-[:NOT_FULFILLED_BY]->()');
      return {
        content: [
          'Nodes:',
          ...limitLines(labels.map((entry) => `- ${entry.label}: ${entry.count}`)),
          'Relationships:',
          ...limitLines([...types].map(([type, number]) => `- ${type}: ${number}`)),
          `Requirements: ${fulfilled} fulfilled, ${unfulfilled} not fulfilled, ${open} undecided`,
        ].join('\n'),
      };
    });
}
