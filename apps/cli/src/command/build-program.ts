import { Argument, Command, CommanderError, Option } from 'commander';
import { completionScript, shells, type Shell } from '../completion/completion-script.js';
import { outputFormats, type Output } from '../output/output.js';
import { addAgentCommands } from './agent-commands.js';
import { addExamples } from './command-examples.js';
import { addControlCommands } from './control-commands.js';
import { addGuardCommands } from './guard-commands.js';
import { addGraphCommands } from './graph-commands.js';
import { addIdentityCommands } from './identity-commands.js';
import { addJobCommands } from './job-commands.js';
import { addPlanCommands } from './plan-commands.js';
import { addLearningCommands } from './learning-commands.js';
import { addLogCommands } from './log-commands.js';
import { addProjectionCommands } from './projection-commands.js';
import { addQueueCommands } from './queue-commands.js';
import { addSecretCommands } from './secret-commands.js';
import { addRepositoryCommands } from './repository-commands.js';
import { addStackCommands } from './stack-commands.js';
import { addTimeCommands } from './time-commands.js';
import { addVerifierCommands } from './verifier-commands.js';
import { addTenantCommands } from './tenant-commands.js';
import type { RegisterAction, RunCommand } from './command-action.js';
import { describeVersion } from './version.js';
import { exitCodeMeanings } from './exit-code.js';

/** Builds the commander program. Usage errors and requested help are thrown as CommanderError. */
export function buildProgram(out: Output, run: RunCommand): Command {
  const program = new Command('phaseline')
    .description('Runs long LLM agent jobs that follow their plan, lose no work and can be audited byte for byte.')
    .option('-V, --version', 'print the versions of Phaseline and Node, and the commit')
    .on('option:version', () => {
      out.writeLines(describeVersion());
      throw new CommanderError(0, 'commander.version', 'version');
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => out.writeMessage(text.trimEnd()),
      // The caller reports all errors in one form.
      outputError: () => {},
      getOutHelpWidth: () => out.columns ?? 100,
      getErrHelpWidth: () => out.columns ?? 100,
      getOutHasColors: () => out.paint.isColorSupported,
      getErrHasColors: () => out.errorPaint.isColorSupported,
    })
    .option(
      '--url <url>',
      'URL of the server (PHASELINE_URL; default: the running local stack, else http://127.0.0.1:7070)',
    )
    .option('--api-key <key>', 'API key; prefer PHASELINE_API_KEY, since other users can read command lines')
    .option(
      '--on-behalf-of <principal>',
      'principal for whom the owner of the key acts (PHASELINE_ON_BEHALF_OF); needs the role "delegate"',
    )
    .addOption(
      new Option(
        '-o, --format <format>',
        'json (JSON Lines for streams of events), yaml, or wide for tables with more columns',
      ).choices(outputFormats),
    )
    .option('--json', 'same as -o json; errors are JSON on standard error')
    .option('--no-color', 'disable colours (also: NO_COLOR=1)')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', renderHelpFooter());
  const action: RegisterAction = (command, load) => {
    command.action((...values: unknown[]) => {
      takeOptionsOfParent(command);
      // Commander passes what the arguments and options of the command declare, and the command itself.
      return run(async (context) => (await load())(context, ...(values.slice(0, -1) as never[])), program.opts());
    });
  };
  program.commandsGroup('Run Phaseline:');
  addStackCommands(program, action);
  program.commandsGroup('Jobs:');
  addJobCommands(program, action);
  addPlanCommands(program, action);
  addRepositoryCommands(program, action);
  program.commandsGroup('Steer jobs:');
  addControlCommands(program, action);
  program.commandsGroup('Queues and tenants:');
  addQueueCommands(program, action);
  addTenantCommands(program, action);
  addSecretCommands(program, action);
  program.commandsGroup('Identity:');
  addIdentityCommands(program, action);
  program.commandsGroup('Inspect the past and fork:');
  addTimeCommands(program, action);
  program.commandsGroup('Projections and costs:');
  addProjectionCommands(program, action);
  addLearningCommands(program, action);
  program.commandsGroup('Graph:');
  addGraphCommands(program, action);
  program.commandsGroup('Audit and operation:');
  addLogCommands(program, action);
  program.commandsGroup('Definitions:');
  addAgentCommands(program, action);
  addVerifierCommands(program, action);
  addGuardCommands(program, action);
  program.commandsGroup('Shell:');
  const completion = program
    .command('completion')
    .description('print the completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells));
  completion.action((shell: Shell) => out.write(completionScript(program, shell)));
  addExamples(program);
  return program;
}

/** Gives a command the options that the command above it took, because it has options of the same names. */
function takeOptionsOfParent(command: Command): void {
  const { parent } = command;
  if (!parent?.parent) return;
  for (const option of command.options) {
    const name = option.attributeName();
    if (parent.getOptionValueSource(name) === 'cli')
      command.setOptionValueWithSource(name, parent.getOptionValue(name), 'cli');
  }
}

function renderHelpFooter(): string {
  const codes = exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return [
    '',
    'A job id may be shortened to any unique prefix.',
    '',
    'Exit codes:',
    ...codes,
    '',
    'Environment variables, also read from .env (.env.example lists all settings):',
    '  PHASELINE_URL, PHASELINE_API_KEY, PHASELINE_ON_BEHALF_OF,',
    '  PHASELINE_HOME (default .phaseline), PHASELINE_AGENTS_DIR,',
    '  DATABASE_URL, REDIS_URL, PHASELINE_QUEUE_BACKEND,',
    '  OPENAI_BASE_URL, OPENAI_API_KEY, PHASELINE_MODEL, NO_COLOR,',
    '  PHASELINE_DEBUG=1 (stack traces)',
  ].join('\n');
}
