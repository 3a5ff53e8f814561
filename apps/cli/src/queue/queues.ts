import type { DeadLetter } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { refresh } from '../output/refresh.js';
import { renderQueues } from './render-queues.js';

/** `phaseline queues`: depths, the age of the oldest message, and the latest messages that were given up. */
export async function queues(
  context: CommandContext,
  options: { readonly deadLetters: number; readonly watch?: true },
): Promise<ExitCode> {
  if (options.watch) return refresh(context, () => queuesOnce(context, options));
  await queuesOnce(context, options);
  return exitCode.ok;
}

async function queuesOnce(
  context: CommandContext,
  options: { readonly deadLetters: number; readonly watch?: true },
): Promise<void> {
  const { out, signal } = context;
  const client = await connect(context);
  const depths = await client.queues({ signal });
  const dead: DeadLetter[] = [];
  if (options.deadLetters > 0 && depths.deadLetters > 0) {
    for await (const letter of client.deadLetters({ limit: Math.min(200, options.deadLetters) }, { signal })) {
      dead.push(letter);
      if (dead.length >= options.deadLetters) break;
    }
  }
  if (out.json) out[options.watch ? 'record' : 'document']({ ...depths, latestDeadLetters: dead });
  else out.lines(...renderQueues(depths, dead, { paint: out.paint, columns: out.columns, now: context.now() }));
}
