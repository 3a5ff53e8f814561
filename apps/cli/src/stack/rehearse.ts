import { PortInUse } from '@phaseline/local-stack';
import { REHEARSAL_MODEL, startRehearsalServer, type RehearsalServer } from '@phaseline/rehearsal';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { rehearsalPolicies } from './rehearsal-policies.js';
import { waitUntilAborted } from './wait-until-aborted.js';

export interface RehearseOptions {
  readonly port?: number;
}

/**
 * `phaseline rehearse`: runs the rehearsal model server in the foreground. `demo` and `up` run it as a child process with
 * PHASELINE_STOP_ON_STDIN_END=1, so that it exits when its standard input closes because the parent has exited.
 */
export async function rehearse(
  { out, env, input, signal }: CommandContext,
  { port }: RehearseOptions,
): Promise<ExitCode> {
  const server = await start(port, readLatencyMs(env));
  try {
    if (out.isStructured) out.writeRecord({ kind: 'rehearsal', baseUrl: server.baseUrl, model: REHEARSAL_MODEL });
    else
      out.writeLines(
        `The rehearsal model "${REHEARSAL_MODEL}" is running at ${server.baseUrl}. It follows a script and is not a language model.`,
      );
    await waitUntilAborted(
      env.PHASELINE_STOP_ON_STDIN_END === '1' ? AbortSignal.any([signal, createEndSignal(input)]) : signal,
    );
    return exitCode.ok;
  } finally {
    await server.close();
  }
}

/** Reads PHASELINE_REHEARSAL_LATENCY_MS, the delay before each response: slow jobs can be watched, or interrupted by a test. */
function readLatencyMs(env: NodeJS.ProcessEnv): number {
  const value = Number(env.PHASELINE_REHEARSAL_LATENCY_MS ?? 0);
  return Number.isFinite(value) && value > 0 ? Math.min(value, 60_000) : 0;
}

async function start(port: number | undefined, latencyMs: number): Promise<RehearsalServer> {
  try {
    return await startRehearsalServer({
      policies: rehearsalPolicies,
      latencyMs,
      ...(port === undefined ? {} : { port }),
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port === undefined) throw error;
    throw new PortInUse(port, 'The rehearsal model', { cause: error, remedy: 'Choose another one with --port' });
  }
}

/** Returns a signal that is aborted when the stream ends. */
function createEndSignal(input: NodeJS.ReadableStream): AbortSignal {
  const ended = new AbortController();
  const abort = (): void => ended.abort();
  input.once('end', abort).once('close', abort).once('error', abort).resume();
  return ended.signal;
}
