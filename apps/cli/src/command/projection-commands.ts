import { InvalidArgumentError, Option, type Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import { createWholeNumberParser, parsePast } from './option-values.js';

const NAMES = 'jobs, phases, tool-calls, costs, queue-depth; default: all';

/** Adds the commands about read models. */
export function addProjectionCommands(program: Command, action: RegisterAction): void {
  const projections = program
    .command('projections')
    .description('read models: tables for queries, built from the log; need no server');
  const list = projections.command('list').description('show version, checkpoint, lag and rows of each');
  action(list, async () => (await import('../projection/list.js')).listProjections);
  const rebuild = projections
    .command('rebuild')
    .description('rebuild tables from the log next to the active ones, then switch')
    .argument('[name...]', NAMES);
  action(rebuild, async () => (await import('../projection/rebuild.js')).rebuild);
  const check = projections
    .command('check')
    .description('check every row against the log; exit code 1 if one differs')
    .argument('[name...]', NAMES);
  action(check, async () => (await import('../projection/check.js')).check);

  const costs = program
    .command('costs')
    .description('show token usage and cost of model calls')
    .addOption(
      new Option('--by <what>', 'group by').choices(['agent', 'model', 'day', 'tenant', 'job']).default('agent'),
    )
    .option('--from <day>', 'first day, such as 2030-01-31 or today (UTC)')
    .option('--to <day>', 'last day (UTC)')
    .option('-n, --limit <count>', 'maximum number of lines', createWholeNumberParser(1, 1_000), 50);
  action(costs, async () => (await import('../projection/costs.js')).costs);
  const whatIf = costs
    .command('what-if')
    .description(
      'what recorded jobs would have cost with other settings of the context, or at the prices of another model',
    )
    .option('--job <job>', 'only this job')
    .option('--agent <agent>', 'only jobs of this agent')
    .option('--since <time>', 'only jobs submitted since: a duration such as 2h or 7d, or a date', parsePast)
    // Not --limit: that is the one of costs, which would take it.
    .option(
      '--max-jobs <jobs>',
      'at most this many jobs, the newest ones',
      createWholeNumberParser(1, 1_000_000),
      1_000,
    )
    .option('--model <profile>', 'model profile at whose prices all calls are billed')
    .option(
      '--context <setting=value...>',
      'settings of the context: keepResults, clearTokens, summariseTokens, todoList',
      collectSetting,
    );
  action(whatIf, async () => (await import('../bill/bill-jobs.js')).billJobs);
}

/** Collects settings such as clearTokens=20000. */
function collectSetting(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, name, value] = /^([a-zA-Z]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Expected SETTING=VALUE, such as clearTokens=20000.');
  return { ...before, [name]: value };
}
