import { defineRemoteTool, type RemoteTool } from '@phaseline/tools';
import { z } from 'zod';
import { runOnGraph, TOOL_TIMEOUT_MS, type GraphHost } from './graph-host.js';
import { formatResult } from './format-result.js';

const value = z.json();
const input = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(20_000)
    .describe('Cypher. Values never stand in it: write $name and give them as parameters.'),
  parameters: z
    .record(z.string().min(1).max(100), value)
    .refine((parameters) => JSON.stringify(parameters).length <= 100_000, 'are longer than 100,000 characters')
    .default({})
    .describe('Values for the $names.'),
  limit: z.int().min(1).max(1_000).default(100).describe('Rows to return at most.'),
});
type Input = z.infer<typeof input>;

export function executeCypherQuery(host: GraphHost | undefined): RemoteTool {
  return defineRemoteTool<Input>({
    name: 'execute_cypher_query',
    description:
      'Asks the graph with a Cypher query that only reads: MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY, LIMIT, UNION. Look at get_database_schema first.',
    input,
    effect: 'pure',
    timeoutMs: TOOL_TIMEOUT_MS,
    run: (context, { query, parameters, limit }) =>
      runOnGraph(host, context, limit, async ({ graph, limits }) => ({
        content: formatResult(await graph.read(query, parameters, limits)),
      })),
  });
}

export function executeCypherUpdate(host: GraphHost | undefined): RemoteTool {
  return defineRemoteTool<Input>({
    name: 'execute_cypher_update',
    description:
      'Changes the graph with a Cypher statement: CREATE, MERGE, SET, REMOVE, DELETE. For requirements and their fulfilment use the tools made for them.',
    input,
    effect: 'idempotent',
    timeoutMs: TOOL_TIMEOUT_MS,
    async run(context, { query, parameters, limit }) {
      const content = await runOnGraph(host, context, limit, ({ graph, limits }) =>
        graph.change(context, limits, async (ask) => {
          const answer = await ask(query, parameters);
          return answer.columns.length === 0 ? 'Done.' : `Done. ${formatResult(answer)}`;
        }),
      );
      return { content };
    },
  });
}
