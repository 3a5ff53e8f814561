import { Argument, Command, CommanderError, Option } from 'commander';
import { completionScript, shells, type Shell } from '../completion/completion-script.js';
import { outputFormats, type Output } from '../output/output.js';
import { addAgentCommands } from './agent-commands.js';
import { addExamples } from './command-examples.js';
import { addControlCommands } from './control-commands.js';
import { addGraphCommands } from './graph-commands.js';
import { addJobCommands } from './job-commands.js';
import { addLogCommands } from './log-commands.js';
import { addProjectionCommands } from './projection-commands.js';
import { addQueueCommands } from './queue-commands.js';
import { addStackCommands } from './stack-commands.js';
import { addTimeCommands } from './time-commands.js';
import { addTenantCommands } from './tenant-commands.js';
import type { CommandContext } from './command-context.js';
import { describeVersion } from './version.js';
import { exitCodeMeanings, type ExitCode } from './exit-code.js';

export interface GlobalOptions {
  readonly url?: string;
  readonly apiKey?: string;
}

/** Runs what a command line asked for. */
export type Run = (command: (context: CommandContext) => Promise<ExitCode>, globals: GlobalOptions) => Promise<void>;

/** Adds an action that is loaded only when it is called, so that `--help` stays quick. */
export type Action = (
  command: Command,
  load: (...args: never[]) => (context: CommandContext) => Promise<ExitCode>,
) => void;

/** The command line as commander knows it. Errors and help that was asked for are thrown as CommanderError. */
export function buildProgram(out: Output, run: Run): Command {
  const program = new Command('phaseline')
    .description('Runs long LLM agent jobs that cannot wander off, cannot lose work and can be audited to the byte.')
    .option('-V, --version', 'version, commit and Node')
    .on('option:version', () => {
      out.lines(describeVersion());
      throw new CommanderError(0, 'commander.version', 'version');
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => out.say(text.trimEnd()),
      // Told by the caller, in one form for all errors.
      outputError: () => {},
      getOutHelpWidth: () => out.columns ?? 100,
      getErrHelpWidth: () => out.columns ?? 100,
      getOutHasColors: () => out.paint.isColorSupported,
      getErrHasColors: () => out.errorPaint.isColorSupported,
    })
    .option(
      '--url <url>',
      'the server to talk to (PHASELINE_URL; default: the local stack that runs, else http://127.0.0.1:7070)',
    )
    .option('--api-key <key>', 'better set PHASELINE_API_KEY: other users can read command lines')
    .addOption(
      new Option(
        '-o, --output <format>',
        'json (JSON Lines for events over time), yaml, or wide for tables with more columns',
      ).choices(outputFormats),
    )
    .option('--json', 'the same as -o json; errors as JSON on standard error')
    .option('--no-color', 'no colours (also: NO_COLOR=1)')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', helpEnd());
  const action: Action = (command, load) => {
    command.action(async (...args: unknown[]) => {
      const globals = program.opts<GlobalOptions>();
      await run(load(...(args as never[])), globals);
    });
  };
  program.commandsGroup('Run Phaseline:');
  addStackCommands(program, action);
  program.commandsGroup('Jobs:');
  addJobCommands(program, action);
  program.commandsGroup('Steer jobs:');
  addControlCommands(program, action);
  program.commandsGroup('Queues and tenants:');
  addQueueCommands(program, action);
  addTenantCommands(program, action);
  program.commandsGroup('Look back and fork:');
  addTimeCommands(program, action);
  program.commandsGroup('Figures:');
  addProjectionCommands(program, action);
  program.commandsGroup('Graph:');
  addGraphCommands(program, action);
  program.commandsGroup('Audit and operation:');
  addLogCommands(program, action);
  program.commandsGroup('Definitions:');
  addAgentCommands(program, action);
  program.commandsGroup('This command line:');
  const completion = program
    .command('completion')
    .description('print the script that completes command lines in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells));
  completion.action((shell: Shell) => out.write(completionScript(program, shell)));
  addExamples(program);
  return program;
}

function helpEnd(): string {
  const codes = exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return [
    '',
    'Jobs may be named by the beginning of their id, if it is unique.',
    '',
    'Exit codes:',
    ...codes,
    '',
    'Environment, also read from .env (.env.example has every setting):',
    '  PHASELINE_URL, PHASELINE_API_KEY, PHASELINE_HOME (default .phaseline),',
    '  PHASELINE_AGENTS_DIR, DATABASE_URL, REDIS_URL, QUEUE_BACKEND,',
    '  OPENAI_BASE_URL, OPENAI_API_KEY, PHASELINE_MODEL, NO_COLOR,',
    '  PHASELINE_DEBUG=1 (stack traces)',
  ].join('\n');
}
