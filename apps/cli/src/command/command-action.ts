import type { Command } from 'commander';
import type { CommandContext } from './command-context.js';
import type { ExitCode } from './exit-code.js';

interface GlobalOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly onBehalfOf?: string;
}

/** Runs the command that the command line names. */
export type RunCommand = (
  command: (context: CommandContext) => Promise<ExitCode>,
  globals: GlobalOptions,
) => Promise<void>;

/**
 * Registers the action of a command: a function of the context and of the values of the arguments and options. It is loaded only when
 * the command runs, so that `--help` stays fast.
 */
export type RegisterAction = (
  command: Command,
  load: () => Promise<(context: CommandContext, ...values: never[]) => Promise<ExitCode>>,
) => void;
