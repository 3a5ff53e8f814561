import { PhaselineClientError, type DeadLetterRecord, type PhaselineClient } from '@phaseline/client';
import type { QueuedMessageId } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { pluralise } from '../output/quantities.js';
import { renderDeadLetters } from './render-queues.js';

export interface ListOptions {
  readonly queue?: string;
  readonly limit: number;
}

/** Maximum number of dead letters per request that the server accepts. */
const PAGE_SIZE = 200;

/** Selects dead letters: all open ones, or those of one queue. Without `all`, ids select them. */
export interface Selection {
  readonly all?: boolean;
  readonly queue?: string;
}

/** `phaseline dead-letters`: lists open dead letters, latest first. */
export async function listDeadLetters(context: CommandContext, { queue, limit }: ListOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const found: DeadLetterRecord[] = [];
  for await (const deadLetter of client.deadLetters.list({ queue, limit: Math.min(PAGE_SIZE, limit) }, { signal })) {
    found.push(deadLetter);
    if (found.length >= limit) break;
  }
  if (out.isStructured) out.writeDocument({ items: found });
  else if (found.length === 0) out.writeMessage('No dead letters.');
  else out.writeLines(...renderDeadLetters(found, { paint: out.paint, columns: out.columns, now: context.now() }));
  return exitCode.ok;
}

interface Outcome {
  readonly id: string;
  readonly queue?: string;
  readonly messageId?: QueuedMessageId;
  readonly changed: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * `phaseline dead-letters retry` puts dead letters back on their queues, `discard` closes them without that. One that is refused does
 * not stop the others.
 */
export async function closeDeadLetters(
  context: CommandContext,
  verb: 'retry' | 'discard',
  ids: readonly string[],
  selection: Selection,
): Promise<ExitCode> {
  const { out, signal } = context;
  const participle = verb === 'retry' ? 'retried' : 'discarded';
  const client = await connect(context);
  const close = (id: string): Promise<Outcome> =>
    verb === 'retry' ? client.deadLetters.retry(id, { signal }) : client.deadLetters.discard(id, {}, { signal });
  const outcomes: Outcome[] = [];
  for (const id of selection.all ? await listOpenIds(context, client, selection.queue) : ids) {
    const outcome = await close(id).catch((error: unknown): Outcome => {
      if (!(error instanceof PhaselineClientError) || !REFUSALS.has(error.code)) throw error;
      return { id, changed: false, error: { code: error.code, message: error.message } };
    });
    outcomes.push(outcome);
    if (out.isStructured) continue;
    if (outcome.error) out.writeMessage(`${out.errorPaint.red('error:')} ${id}: ${outcome.error.message}`);
    else out.writeLines(outcome.changed ? `${id}: ${participle}` : `${id}: already ${participle}`);
  }
  const changed = outcomes.filter((outcome) => outcome.changed).length;
  const refused = outcomes.filter((outcome) => outcome.error !== undefined).length;
  if (out.isStructured) out.writeDocument({ items: outcomes });
  else if (outcomes.length === 0) out.writeMessage('No dead letters.');
  else if (outcomes.length > 1)
    out.writeMessage(`${pluralise(changed, 'dead letter')} ${participle}, ${refused} refused.`);
  return refused > 0 ? exitCode.refused : exitCode.ok;
}

/** Error codes that concern one dead letter. Any other error would affect the next one too, so it ends the command. */
const REFUSALS: ReadonlySet<string> = new Set(['dead_letter_not_found', 'request_refused', 'invalid_request']);

/** Lists all ids before the first one changes, because changes would shift the pages. Oldest first. */
async function listOpenIds(
  { signal }: CommandContext,
  client: PhaselineClient,
  queue: string | undefined,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of client.deadLetters.list({ queue, limit: PAGE_SIZE }, { signal })) ids.push(id);
  return ids.reverse();
}
