import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';

/** Interval of `--watch` in seconds. */
const REFRESH_INTERVAL_SECONDS = 2;

const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

/**
 * Calls `show` repeatedly until Ctrl-C. On a terminal each output replaces the one before; elsewhere it is appended.
 */
export async function showRepeatedly(context: CommandContext, show: () => Promise<void>): Promise<ExitCode> {
  const { out, signal } = context;
  for (;;) {
    if (out.isTerminal && !out.isStructured) out.write(CLEAR);
    await show();
    try {
      await sleep(REFRESH_INTERVAL_SECONDS * 1_000, undefined, { signal });
    } catch (error) {
      // Ctrl-C is the normal way to end this.
      if (signal.aborted) return exitCode.ok;
      throw error;
    }
  }
}
