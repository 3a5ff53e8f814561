import type { DeadLetterRecord } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { showRepeatedly } from '../output/refresh.js';
import { renderQueues } from './render-queues.js';

/** Maximum number of dead letters per request that the server accepts. */
const PAGE_SIZE = 200;

/** `phaseline queues`: shows queue depths, the age of the oldest message, rates, and the latest dead letters. */
export async function queues(
  context: CommandContext,
  options: { readonly deadLetters: number; readonly watch?: true },
): Promise<ExitCode> {
  if (options.watch) return showRepeatedly(context, () => queuesOnce(context, options));
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
  const latestDeadLetters: DeadLetterRecord[] = [];
  if (options.deadLetters > 0 && depths.deadLetterCount > 0) {
    const limit = Math.min(PAGE_SIZE, options.deadLetters);
    for await (const deadLetter of client.deadLetters.list({ limit }, { signal })) {
      latestDeadLetters.push(deadLetter);
      if (latestDeadLetters.length >= options.deadLetters) break;
    }
  }
  const document = { ...depths, latestDeadLetters };
  if (!out.isStructured)
    out.writeLines(
      ...renderQueues(depths, latestDeadLetters, { paint: out.paint, columns: out.columns, now: context.now() }),
    );
  else if (options.watch) out.writeRecord(document);
  else out.writeDocument(document);
}
