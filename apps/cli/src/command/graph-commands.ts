import { Option, type Command } from 'commander';
import type { GraphPlace } from '../graph/open-graph.js';
import type { QueryOptions } from '../graph/query.js';
import type { Action } from './build-program.js';
import { wholeNumber } from './option-values.js';

/** The graph that jobs share, from outside of jobs. */
export function addGraphCommands(program: Command, action: Action): void {
  const tenant = (): Option => new Option('--tenant <tenant>', 'whose graph').default('default');
  const graph = program
    .command('graph')
    .description('the graph of requirements and what fulfils them; needs no server');
  const query = graph
    .command('query')
    .description('ask with Cypher; nothing can be changed')
    .argument('<cypher>', 'such as "MATCH (r:Requirement) RETURN count(r)"')
    .addOption(tenant())
    .option('--limit <rows>', 'rows to show at most', wholeNumber({ min: 1, max: 50_000 }), 100);
  action(
    query,
    (cypher: string, options: QueryOptions) => async (context) =>
      (await import('../graph/query.js')).queryGraph(context, cypher, options),
  );
  const load = graph
    .command('load')
    .description('put the nodes and relationships of a JSON file into the graph; again changes nothing')
    .argument('<file>', 'such as agents/validator/example/graph.json')
    .addOption(tenant());
  action(
    load,
    (file: string, options: GraphPlace) => async (context) =>
      (await import('../graph/load.js')).loadGraphFile(context, file, options),
  );
}
