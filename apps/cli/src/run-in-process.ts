import { loadEnvFile } from '@phaseline/service/env-file';
import { BadEnvironment } from './command/command-errors.js';
import { runCli } from './run-cli.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs the CLI in this process and exits. The first signal asks the command to stop. The second one exits immediately; the services
 * and the database detect that and stop as well.
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
  // Sockets and timers that are still open must not delay the exit.
  process.exit(code);
}

/** Returns the environment together with the settings of `.env`. Throws BadEnvironment. */
async function readSettings(): Promise<NodeJS.ProcessEnv> {
  try {
    return await loadEnvFile(process.env);
  } catch (error) {
    throw new BadEnvironment((error as Error).message, { cause: error });
  }
}
