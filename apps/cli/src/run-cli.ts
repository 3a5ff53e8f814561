import { CommanderError, type Command } from 'commander';
import { buildProgram } from './command/build-program.js';
import type { CommandContext } from './command/command-context.js';
import { explainError } from './command/explain-error.js';
import { exitCode, type ExitCode } from './command/exit-code.js';
import { Output, outputFormats, type OutputFormat, type OutputStream } from './output/output.js';

/** The parts of a process that the CLI uses. */
export interface Host {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly input: NodeJS.ReadableStream;
  readonly env: NodeJS.ProcessEnv;
  readonly currentDirectory: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Returns the environment together with the settings of `.env`. Its errors are reported like those of a command. */
  readonly readSettings?: () => Promise<NodeJS.ProcessEnv>;
}

/** Runs a command line, given without the name of the program. Returns the exit code and never throws. */
export async function runCli(argv: readonly string[], host: Host): Promise<number> {
  // Read before parsing, because parse errors must be reported in the requested format.
  const options = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const out = new Output({ ...host, format: findFormat(options), color: !options.includes('--no-color') });
  const signal = AbortSignal.any([host.signal, out.closedSignal]);
  let result: ExitCode = exitCode.ok;
  const program = buildProgram(out, async (command, globals) => {
    const env = (await host.readSettings?.()) ?? host.env;
    const context: CommandContext = {
      out,
      env,
      currentDirectory: host.currentDirectory,
      signal,
      url: globals.url,
      apiKey: globals.apiKey ?? (env.PHASELINE_API_KEY?.trim() || undefined),
      onBehalfOf: globals.onBehalfOf ?? (env.PHASELINE_ON_BEHALF_OF?.trim() || undefined),
      input: host.input,
      now: host.now,
    };
    result = await command(context);
  });
  try {
    const [name, topic] = options;
    if (name === 'help' && topic !== undefined && !topic.startsWith('-') && findCommandPath(program, [topic]) === '')
      program.error(`error: unknown command '${topic}'`);
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    result = report(error, out, { ...host, signal }, findCommandPath(program, options));
  }
  await out.flush();
  return result;
}

/** Finds the last format given, as commander does: `-o json`, `-ojson`, `--format json`, `--format=json`, `--json`. */
function findFormat(options: readonly string[]): OutputFormat | undefined {
  const values = options.flatMap((option, index): (string | undefined)[] => {
    if (option === '--json') return ['json'];
    if (option === '-o' || option === '--format') return [options[index + 1]];
    const [, value] = /^(?:-o|--format=)(.+)$/.exec(option) ?? [];
    return value === undefined ? [] : [value];
  });
  return outputFormats.find((format) => format === values.at(-1));
}

/** Finds the names of the command and subcommand of a command line, such as `files cat`. */
function findCommandPath(program: Command, argv: readonly string[]): string {
  let command = program;
  const path: string[] = [];
  for (const argument of argv) {
    const next = command.commands.find((one) => one.name() === argument);
    if (!next) continue;
    command = next;
    path.push(argument);
  }
  return path.join(' ');
}

function report(error: unknown, out: Output, host: Host, commandPath: string): ExitCode {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCode.ok;
    // Commander has already written unrequested help to standard error.
    if (error.code !== 'commander.help') {
      const message = error.message.replace(/^error: /, '');
      // Messages about values and misspelled names already say what is expected.
      const incomplete = [
        'commander.missingArgument',
        'commander.missingMandatoryOptionValue',
        'commander.excessArguments',
        'commander.unknownOption',
        'commander.optionMissingArgument',
      ];
      const hint = incomplete.includes(error.code) ? `\nFor usage, run: phaseline help ${commandPath}` : '';
      writeError(out, { code: 'usage', message: `${message}${hint}`, exitCode: exitCode.usage });
    }
    return exitCode.usage;
  }
  if (out.closedSignal.aborted) return exitCode.ok;
  if (host.signal.aborted && isAbort(error, host.signal)) return exitCode.interrupted;
  if (host.env.PHASELINE_DEBUG === '1' && error instanceof Error) out.writeMessage(formatStacks(error));
  const explanation = explainError(error);
  writeError(out, explanation);
  return explanation.exitCode;
}

function writeError(
  out: Output,
  { code, message, exitCode: exit }: { code: string; message: string; exitCode: ExitCode },
): void {
  if (out.isStructured) out.writeMessage(JSON.stringify({ error: { code, message, exitCode: exit } }));
  else out.writeMessage(`${out.errorPaint.red('error:')} ${message}`);
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}

/** Formats the stack of an error and those of its causes. */
function formatStacks(error: Error): string {
  const lines = [error.stack ?? String(error)];
  for (let { cause } = error; cause instanceof Error; { cause } = cause)
    lines.push(`caused by ${cause.stack ?? String(cause)}`);
  return lines.join('\n');
}
