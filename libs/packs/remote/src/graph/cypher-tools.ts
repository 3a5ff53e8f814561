import { graphSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { runOnGraph, type GraphHost } from './graph-host.js';
import { formatResult } from './format-result.js';

export function executeCypherQuery(host: GraphHost): ToolRun<typeof graphSpec, 'execute_cypher_query'> {
  return (context, { query, parameters, limit }) =>
    runOnGraph(host, context, limit, async ({ graph, limits }) => ({
      content: formatResult(await graph.read(query, parameters, limits)),
    }));
}

export function executeCypherUpdate(host: GraphHost): ToolRun<typeof graphSpec, 'execute_cypher_update'> {
  return async (context, { query, parameters, limit }) => {
    const content = await runOnGraph(host, context, limit, ({ graph, limits }) =>
      graph.change(context, limits, async (ask) => {
        const answer = await ask(query, parameters);
        return answer.columns.length === 0 ? 'Done.' : `Done. ${formatResult(answer)}`;
      }),
    );
    return { content };
  };
}
