import type { Command } from 'commander';
import type { Selection } from '../queue/dead-letters.js';
import type { RegisterAction } from './command-action.js';
import { createWholeNumberParser } from './option-values.js';

/** Adds the commands about processes, alerts, queues, dead letters and producers. */
export function addQueueCommands(program: Command, action: RegisterAction): void {
  const ps = program.command('ps').description('show the processes of the system and the work that they hold');
  action(ps, async () => (await import('../process/ps.js')).ps);

  const alerts = program
    .command('alerts')
    .description(
      'show what is wrong now, with the cause and what to do; the exit code is 1 if anything is critical, else 0',
    );
  action(alerts, async () => (await import('../alert/alerts.js')).alerts);

  const queues = program
    .command('queues')
    .description('show queue depths, the age of the oldest messages, rates, the time to drain, and dead letters')
    .option('--dead-letters <count>', 'number of dead letters to show', createWholeNumberParser(0, 10_000), 10)
    .option('--watch', 'refresh every 2 s until Ctrl-C');
  action(queues, async () => (await import('../queue/queues.js')).queues);

  const deadLetters = program
    .command('dead-letters')
    .description('list dead letters with the reason, latest first')
    .option('--queue <queue>', 'only those of this queue')
    .option('-n, --limit <count>', 'number of dead letters to show', createWholeNumberParser(1, 10_000), 50);
  action(deadLetters, async () => (await import('../queue/dead-letters.js')).listDeadLetters);
  for (const [verb, description] of [
    ['retry', 'put dead letters back on their queues'],
    ['discard', 'close dead letters without retrying them'],
  ] as const) {
    const close = deadLetters
      .command(verb)
      .description(description)
      .argument('[id...]', 'ids, as shown by `phaseline dead-letters`')
      .option('--all', 'all open dead letters, or those of --queue');
    // One of them is required, so that a forgotten argument does not retry everything.
    close.hook('preAction', () => {
      if (close.args.length > 0 === (close.opts<Selection>().all === true))
        close.error('error: give either ids or --all');
    });
    action(close, async () => {
      const { closeDeadLetters } = await import('../queue/dead-letters.js');
      return (context, ids: readonly string[], options: Selection) =>
        closeDeadLetters(context, verb, ids, { ...deadLetters.opts(), ...options });
    });
  }

  const producers = program
    .command('producers')
    .description('database logins that may only submit requests to the queue "jobs"');
  const create = producers
    .command('create')
    .description('create a login that may only add to the queue "jobs" (DATABASE_URL, else the local stack)')
    .argument('<name>', 'name of the login: lower-case letters, digits and underscores')
    .option('--tenant <tenant>', 'tenant for which the login may submit jobs', 'default');
  action(create, async () => (await import('../queue/create-producer.js')).createProducer);
}
