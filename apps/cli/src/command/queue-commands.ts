import type { Command } from 'commander';
import type { ListOptions, Selection } from '../queue/dead-letters.js';
import type { RegisterAction } from './command-action.js';
import { createWholeNumberParser } from './option-values.js';

/** Adds the commands about queues, dead letters and producers. */
export function addQueueCommands(program: Command, action: RegisterAction): void {
  const queues = program
    .command('queues')
    .description('show queue depths, the age of the oldest messages, and dead letters')
    .option(
      '--dead-letters <count>',
      'number of dead letters to show',
      createWholeNumberParser({ min: 0, max: 10_000 }),
      10,
    )
    .option('--watch', 'refresh every 2 s until Ctrl-C');
  action(
    queues,
    (options: { deadLetters: number; watch?: true }) => async (context) =>
      (await import('../queue/queues.js')).queues(context, options),
  );

  const deadLetters = program
    .command('dead-letters')
    .description('list dead letters with the reason, latest first')
    .option('--queue <queue>', 'only those of this queue')
    .option(
      '-n, --limit <count>',
      'number of dead letters to show',
      createWholeNumberParser({ min: 1, max: 10_000 }),
      50,
    );
  action(
    deadLetters,
    (options: ListOptions) => async (context) =>
      (await import('../queue/dead-letters.js')).listDeadLetters(context, options),
  );
  const retry = addSelection(deadLetters.command('retry').description('put dead letters back on their queues'));
  action(
    retry,
    (ids: readonly string[], options: Selection) => async (context) =>
      (await import('../queue/dead-letters.js')).retryDeadLetters(context, ids, { ...deadLetters.opts(), ...options }),
  );
  const discard = addSelection(deadLetters.command('discard').description('close dead letters without retrying them'));
  action(
    discard,
    (ids: readonly string[], options: Selection) => async (context) =>
      (await import('../queue/dead-letters.js')).discardDeadLetters(context, ids, {
        ...deadLetters.opts(),
        ...options,
      }),
  );

  const producers = program
    .command('producers')
    .description('database logins that may only submit requests to the queue "jobs"');
  const create = producers
    .command('create')
    .description('create a login that may only add to the queue "jobs" (DATABASE_URL, else the local stack)')
    .argument('<name>', 'name of the login: lower-case letters, digits and underscores');
  action(
    create,
    (name: string) => async (context) => (await import('../queue/create-producer.js')).createProducer(context, name),
  );
}

/** Adds ids and `--all`. One of them is required, so that a forgotten argument does not retry everything. */
function addSelection(command: Command): Command {
  command
    .argument('[id...]', 'ids, as shown by `phaseline dead-letters`')
    .option('--all', 'all open dead letters, or those of --queue');
  return command.hook('preAction', () => {
    if (command.args.length > 0 === (command.opts<Selection>().all === true))
      command.error('error: give either ids or --all');
  });
}
