import { PortInUse } from '@phaseline/local-stack';
import { REHEARSAL_MODEL, startRehearsalServer, type RehearsalServer } from '@phaseline/rehearsal';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { rehearsalPolicies } from './rehearsal-policies.js';
import { untilAborted } from './until-aborted.js';

export interface RehearseOptions {
  readonly port?: number;
}

/**
 * `phaseline rehearse`: the rehearsal model server in the foreground. `demo` and `up` run it as a process of its own; with
 * PHASELINE_PARENT_WATCH=1 it ends when its standard input does, which is when they are gone.
 */
export async function rehearse(
  { out, env, input, signal }: CommandContext,
  { port }: RehearseOptions,
): Promise<ExitCode> {
  const server = await start(port, latency(env));
  try {
    if (out.json) out.record({ kind: 'rehearsal', baseUrl: server.baseUrl, model: REHEARSAL_MODEL });
    else
      out.lines(
        `The rehearsal model answers at ${server.baseUrl} as "${REHEARSAL_MODEL}". It is a scripted stand-in, no language model.`,
      );
    await untilAborted(env.PHASELINE_PARENT_WATCH === '1' ? AbortSignal.any([signal, endOf(input)]) : signal);
    return exitCode.ok;
  } finally {
    await server.close();
  }
}

/** PHASELINE_REHEARSAL_LATENCY_MS: how long each answer takes, for whoever wants to watch, or to pull a plug in the middle. */
function latency(env: NodeJS.ProcessEnv): number {
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

/** Aborted when nothing can come any more. */
function endOf(input: NodeJS.ReadableStream): AbortSignal {
  const ended = new AbortController();
  const abort = (): void => ended.abort();
  input.once('end', abort).once('close', abort).once('error', abort).resume();
  return ended.signal;
}
