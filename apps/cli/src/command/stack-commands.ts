import { InvalidArgumentError, Option, type Command } from 'commander';
import type { DemoOptions } from '../stack/demo.js';
import type { UpOptions } from '../stack/up.js';
import { DEFAULT_PORT } from '../connection/server-url.js';
import type { Action } from './build-program.js';
import { wholeNumber } from './option-values.js';

const port = wholeNumber({ min: 1, max: 65_535 });

function queueOption(): Option {
  return new Option(
    '--queue <backend>',
    'what holds the queues; default: redis where REDIS_URL is set, else postgres',
  ).choices(['postgres', 'redis']);
}

/** The commands that run things on this machine. */
export function addStackCommands(program: Command, action: Action): void {
  const demo = program
    .command('demo')
    .description(
      'the whole system on this machine: one job on a document, shown live, audited, everything stopped again',
    )
    .option('-d, --document <file>', 'Markdown, text, PDF, DOCX or HTML; default: the example of the agent')
    .option('--agent <agent>', 'the agent that reads it', 'creator')
    .addOption(
      new Option(
        '--agents <agents>',
        'several in turn, such as creator,validator: each works on what the last handed over',
      )
        .argParser(names)
        .conflicts('agent'),
    )
    .option('--keep', 'keep the system up afterwards, until Ctrl-C')
    .addOption(queueOption());
  action(
    demo,
    ({ agent, agents, ...options }: Omit<DemoOptions, 'agents'> & { agent: string; agents?: readonly string[] }) =>
      async (context) =>
        (await import('../stack/demo.js')).demo(context, { ...options, agents: agents ?? [agent] }),
  );

  const up = program
    .command('up')
    .description('the whole system on this machine, until Ctrl-C')
    .option('-p, --port <port>', 'of the HTTP API', port, DEFAULT_PORT)
    .addOption(queueOption());
  action(up, (options: UpOptions) => async (context) => (await import('../stack/up.js')).up(context, options));

  const rehearse = program
    .command('rehearse')
    .description('only the rehearsal model: a stand-in that speaks the protocol of model servers')
    .option('-p, --port <port>', 'of the model server; default: any free one', port);
  action(
    rehearse,
    (options: { port?: number }) => async (context) =>
      (await import('../stack/rehearse.js')).rehearse(context, options),
  );

  const migrate = program.command('migrate').description('bring the database of DATABASE_URL up to date');
  action(migrate, () => async (context) => (await import('../stack/migrate.js')).migrate(context));
}

function names(text: string): readonly string[] {
  const found = text.split(',').map((name) => name.trim());
  if (found.some((name) => name === '')) throw new InvalidArgumentError('Expected names, such as creator,validator.');
  return found;
}
