import { InvalidArgumentError, Option, type Command } from 'commander';
import type { DemoOptions } from '../stack/demo.js';
import type { UpOptions } from '../stack/up.js';
import { DEFAULT_PORT } from '../connection/server-url.js';
import type { RegisterAction } from './command-action.js';
import { createWholeNumberParser } from './option-values.js';

const port = createWholeNumberParser({ min: 1, max: 65_535 });

function queueOption(): Option {
  return new Option(
    '--queue-backend <backend>',
    'queue backend; default: redis if REDIS_URL is set, else postgres',
  ).choices(['postgres', 'redis']);
}

/** Adds the commands that run Phaseline on this machine. */
export function addStackCommands(program: Command, action: RegisterAction): void {
  const demo = program
    .command('demo')
    .description('start the whole system on this machine, run one job on a document, audit it, and stop everything')
    .option('-d, --document <file>', "Markdown, text, PDF, DOCX or HTML; default: the agent's example")
    .option('--agent <agent>', 'agent that runs the job', 'creator')
    .addOption(
      new Option(
        '--agents <agents>',
        'several agents in turn, such as creator,validator; each works on what the previous one handed over',
      )
        .argParser(parseNames)
        .conflicts('agent'),
    )
    .option('--keep-running', 'keep the system running afterwards until Ctrl-C')
    .addOption(queueOption());
  action(
    demo,
    ({ agent, agents, ...options }: Omit<DemoOptions, 'agents'> & { agent: string; agents?: readonly string[] }) =>
      async (context) =>
        (await import('../stack/demo.js')).demo(context, { ...options, agents: agents ?? [agent] }),
  );

  const up = program
    .command('up')
    .description('run the whole system on this machine until Ctrl-C')
    .option('-p, --port <port>', 'port of the HTTP API', port, DEFAULT_PORT)
    .addOption(queueOption());
  action(up, (options: UpOptions) => async (context) => (await import('../stack/up.js')).up(context, options));

  const rehearse = program
    .command('rehearse')
    .description('run only the rehearsal model, a scripted stand-in for a model server')
    .option('-p, --port <port>', 'port of the model server; default: any free port', port);
  action(
    rehearse,
    (options: { port?: number }) => async (context) =>
      (await import('../stack/rehearse.js')).rehearse(context, options),
  );

  const migrate = program.command('migrate').description('apply all migrations to the database of DATABASE_URL');
  action(migrate, () => async (context) => (await import('../stack/migrate.js')).migrate(context));
}

function parseNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.some((name) => name === '')) throw new InvalidArgumentError('Expected names, such as creator,validator.');
  return names;
}
