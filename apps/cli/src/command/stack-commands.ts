import { InvalidArgumentError, Option, type Command } from 'commander';
import { DEFAULT_PORT } from '../connection/server-url.js';
import type { RegisterAction } from './command-action.js';
import { createWholeNumberParser } from './option-values.js';

const port = createWholeNumberParser(1, 65_535);

function queueOption(): Option {
  return new Option(
    '--queue-backend <backend>',
    'queue backend; default: redis if REDIS_URL is set, else postgres',
  ).choices(['postgres', 'redis']);
}

const OPEN_HELP = 'do not open the dashboard in a browser, which is done only where there is a display';

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
    .addOption(
      new Option(
        '--workflow <workflow>',
        'workflow to run on its example repository, instead of an agent on a document',
      )
        .choices(['feature-loop'])
        .conflicts(['agent', 'agents', 'document']),
    )
    .addOption(
      new Option(
        '--plan [goal]',
        'goal to plan with a scripted person, instead of an agent on a document; without one: a goal per pattern, and what can go wrong',
      ).conflicts([...['agent', 'agents', 'document', 'workflow']]),
    )
    .option('--keep, --keep-running', 'keep the system running afterwards until Ctrl-C, with the dashboard')
    .option('--no-open', OPEN_HELP)
    .addOption(queueOption());
  action(demo, async () => (await import('../stack/demo.js')).demo);

  const up = program
    .command('up')
    .description('run the whole system on this machine until Ctrl-C')
    .option('-p, --port <port>', 'port of the HTTP API and the dashboard', port, DEFAULT_PORT)
    .option('--no-open', OPEN_HELP)
    .addOption(queueOption());
  action(up, async () => (await import('../stack/up.js')).up);

  const rehearse = program
    .command('rehearse')
    .description('run only the rehearsal model, a scripted model server')
    .option('-p, --port <port>', 'port of the model server; default: any free port', port);
  action(rehearse, async () => (await import('../stack/rehearse.js')).rehearse);

  const migrate = program.command('migrate').description('apply all migrations to the database of DATABASE_URL');
  action(migrate, async () => (await import('../stack/migrate.js')).migrate);
}

function parseNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.some((name) => name === '')) throw new InvalidArgumentError('Expected names, such as creator,validator.');
  return names;
}
