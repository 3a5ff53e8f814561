import { withEnvFile } from '@phaseline/service/env-file';
import { BadEnvironment } from './command/command-errors.js';
import { runCli } from './run-cli.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs the CLI with what this process was given, and ends it. The first signal asks the command to stop, the second one
 * ends the process at once: the services and the database notice that and end as well.
 */
export async function runInProcess(): Promise<void> {
  const interrupt = new AbortController();
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (interrupt.signal.aborted) process.exit(130);
      interrupt.abort(new Error(`interrupted by ${signal}`));
    });
  }
  const code = await runCli(process.argv.slice(2), {
    stdout: process.stdout,
    stderr: process.stderr,
    input: process.stdin,
    env: process.env,
    currentDirectory: process.cwd(),
    signal: interrupt.signal,
    now: Date.now,
    readSettings,
  });
  // Open sockets and timers of a command that has said its last word must not keep the shell waiting.
  process.exit(code);
}

/** The environment, with the settings of `.env`. */
async function readSettings(): Promise<NodeJS.ProcessEnv> {
  try {
    return await withEnvFile(process.env);
  } catch (error) {
    throw new BadEnvironment((error as Error).message, { cause: error });
  }
}
