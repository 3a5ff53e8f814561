import { Option, type Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import { createWholeNumberParser } from './option-values.js';

/** Adds the commands that query and load the graph that jobs share. */
export function addGraphCommands(program: Command, action: RegisterAction): void {
  const tenant = (): Option => new Option('--tenant <tenant>', 'tenant that owns the graph').default('default');
  const graph = program
    .command('graph')
    .description('the graph of requirements and of what fulfils them; needs no server');
  const query = graph
    .command('query')
    .description('run a read-only Cypher query')
    .argument('<cypher>', 'such as "MATCH (r:Requirement) RETURN count(r)"')
    .addOption(tenant())
    .option('-n, --limit <count>', 'maximum number of rows to show', createWholeNumberParser(1, 50_000), 100);
  action(query, async () => (await import('../graph/query.js')).queryGraph);
  const load = graph
    .command('load')
    .description('load nodes and relationships from a JSON file; loading a file again changes nothing')
    .argument('<file>', 'such as agents/validator/example/graph.json')
    .addOption(tenant());
  action(load, async () => (await import('../graph/load.js')).loadGraphFile);
}
