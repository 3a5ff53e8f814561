import { Option, type Command } from 'commander';
import type { CostsOptions } from '../projection/costs.js';
import type { Action } from './build-program.js';
import { wholeNumber } from './option-values.js';

const NAMES = 'jobs, phases, tool-calls, costs, queue-depth; without any, all';

/** The commands about the tables that answer queries. */
export function addProjectionCommands(program: Command, action: Action): void {
  const projections = program
    .command('projections')
    .description('the tables that answer queries, built from the log; need no server');
  const list = projections.command('list').description('version, checkpoint, how far behind the log, rows');
  action(list, () => async (context) => (await import('../projection/list.js')).listProjections(context));
  const rebuild = projections
    .command('rebuild')
    .description('build them anew from the log beside those that are read, then switch to them')
    .argument('[name...]', NAMES);
  action(
    rebuild,
    (names: readonly string[]) => async (context) => (await import('../projection/rebuild.js')).rebuild(context, names),
  );
  const check = projections
    .command('check')
    .description('prove that each row is the fold of the log; exit code 1 when one is not')
    .argument('[name...]', NAMES);
  action(
    check,
    (names: readonly string[]) => async (context) => (await import('../projection/check.js')).check(context, names),
  );

  const costs = program
    .command('costs')
    .description('what the models took, and what it cost')
    .addOption(
      new Option('--by <what>', 'a line for each').choices(['agent', 'model', 'day', 'tenant', 'job']).default('agent'),
    )
    .option('--from <day>', 'first day, such as 2030-01-31 (UTC)')
    .option('--to <day>', 'last day')
    .option('-n, --limit <count>', 'how many lines at most', wholeNumber({ min: 1, max: 1_000 }), 50);
  action(
    costs,
    (options: CostsOptions) => async (context) => (await import('../projection/costs.js')).costs(context, options),
  );
}
