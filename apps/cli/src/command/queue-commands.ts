import type { Command } from 'commander';
import type { ListOptions, Selection } from '../queue/dead-letters.js';
import type { Action } from './build-program.js';
import { wholeNumber } from './option-values.js';

/** The commands about queues, what was given up on them, and who may add to them. */
export function addQueueCommands(program: Command, action: Action): void {
  const queues = program
    .command('queues')
    .description('what waits in the queues, for how long, and what was given up')
    .option('--dead-letters <count>', 'how many dead letters are shown', wholeNumber({ min: 0, max: 10_000 }), 10)
    .option('--watch', 'look again every 2 s, until Ctrl-C');
  action(
    queues,
    (options: { deadLetters: number; watch?: true }) => async (context) =>
      (await import('../queue/queues.js')).queues(context, options),
  );

  const letters = program
    .command('dead-letters')
    .description('messages that were given up, latest first, with the reason')
    .option('--queue <queue>', 'only of this queue')
    .option('--limit <count>', 'how many are shown', wholeNumber({ min: 1, max: 10_000 }), 50);
  action(
    letters,
    (options: ListOptions) => async (context) =>
      (await import('../queue/dead-letters.js')).listDeadLetters(context, options),
  );
  const retry = selecting(letters.command('retry').description('put messages back on their queues'));
  action(
    retry,
    (ids: readonly string[], options: Selection) => async (context) =>
      (await import('../queue/dead-letters.js')).retryDeadLetters(context, ids, { ...letters.opts(), ...options }),
  );
  const discard = selecting(letters.command('discard').description('close messages without sending them again'));
  action(
    discard,
    (ids: readonly string[], options: Selection) => async (context) =>
      (await import('../queue/dead-letters.js')).discardDeadLetters(context, ids, { ...letters.opts(), ...options }),
  );

  const producers = program
    .command('producers')
    .description('logins of the database that may add requests to the queue "jobs"');
  const create = producers
    .command('create')
    .description('make a login that may only add to the queue "jobs" (DATABASE_URL, else the local stack)')
    .argument('<name>', 'name of the login: lower-case letters, digits and underscores');
  action(
    create,
    (name: string) => async (context) => (await import('../queue/create-producer.js')).createProducer(context, name),
  );
}

/** Ids, or all that are open. Either, so that a forgotten argument does not retry everything. */
function selecting(command: Command): Command {
  command
    .argument('[id...]', 'ids, as `phaseline dead-letters` shows them')
    .option('--all', 'all that are open, of --queue where it is given');
  return command.hook('preAction', () => {
    if (command.args.length > 0 === (command.opts<Selection>().all === true))
      command.error('error: give either ids or --all');
  });
}
