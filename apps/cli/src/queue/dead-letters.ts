import { PhaselineClientError, type DeadLetter, type PhaselineClient } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { counted } from '../output/quantities.js';
import { renderDeadLetters } from './render-queues.js';

export interface ListOptions {
  readonly queue?: string;
  readonly limit: number;
}

/** Which letters a command is about: those that are named, or all that are open, of one queue or of all. */
export interface Selection {
  readonly all?: boolean;
  readonly queue?: string;
}

/** `phaseline dead-letters`: messages that were given up and wait for a person, latest first. */
export async function listDeadLetters(context: CommandContext, { queue, limit }: ListOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const found: DeadLetter[] = [];
  for await (const letter of client.deadLetters({ queue, limit: Math.min(200, limit) }, { signal })) {
    found.push(letter);
    if (found.length >= limit) break;
  }
  if (out.json) out.document({ items: found });
  else if (found.length === 0) out.say('No dead letters.');
  else out.lines(...renderDeadLetters(found, { paint: out.paint, columns: out.columns, now: context.now() }));
  return exitCode.ok;
}

/** `phaseline dead-letters retry`: puts messages back on their queues. */
export async function retryDeadLetters(
  context: CommandContext,
  ids: readonly string[],
  selection: Selection,
): Promise<ExitCode> {
  return forEachLetter(context, ids, selection, 'retried', async (client, id) => {
    const { retried, ...letter } = await client.retryDeadLetter(id, { signal: context.signal });
    return { ...letter, changed: retried };
  });
}

/** `phaseline dead-letters discard`: closes messages without sending them again. */
export async function discardDeadLetters(
  context: CommandContext,
  ids: readonly string[],
  selection: Selection,
): Promise<ExitCode> {
  return forEachLetter(context, ids, selection, 'discarded', async (client, id) => {
    const { discarded, ...letter } = await client.discardDeadLetter(id, { signal: context.signal });
    return { ...letter, changed: discarded };
  });
}

interface Outcome {
  readonly id: string;
  readonly queue?: string;
  readonly messageId?: string;
  readonly changed: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A letter that is refused does not stop those behind it. */
async function forEachLetter(
  context: CommandContext,
  ids: readonly string[],
  selection: Selection,
  done: 'retried' | 'discarded',
  act: (client: PhaselineClient, id: string) => Promise<Outcome>,
): Promise<ExitCode> {
  const { out } = context;
  const client = await connect(context);
  const outcomes: Outcome[] = [];
  for (const id of selection.all ? await openIds(context, client, selection.queue) : ids) {
    const outcome = await act(client, id).catch((error: unknown): Outcome => {
      if (!(error instanceof PhaselineClientError) || !REFUSALS.has(error.code)) throw error;
      return { id, changed: false, error: { code: error.code, message: error.message } };
    });
    outcomes.push(outcome);
    if (out.json) continue;
    if (outcome.error) out.say(`${out.errorPaint.red('error:')} ${id}: ${outcome.error.message}`);
    else out.lines(outcome.changed ? `${id}: ${done}` : `${id}: was ${done} before`);
  }
  const changed = outcomes.filter((outcome) => outcome.changed).length;
  const refused = outcomes.filter((outcome) => outcome.error !== undefined).length;
  if (out.json) out.document({ items: outcomes });
  else if (outcomes.length === 0) out.say('No dead letters.');
  else if (outcomes.length > 1) out.say(`${counted(changed, 'message')} ${done}, ${refused} refused.`);
  return refused > 0 ? exitCode.refused : exitCode.ok;
}

/** What the server says about one letter. Any other error would be the same for the next letter, so it ends the command. */
const REFUSALS: ReadonlySet<string> = new Set(['dead_letter_not_found', 'request_refused', 'invalid_request']);

/** Collected before the first is changed: a page that changes while it is read would skip letters. */
async function openIds(
  { signal }: CommandContext,
  client: PhaselineClient,
  queue: string | undefined,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of client.deadLetters({ queue, limit: 200 }, { signal })) ids.push(id);
  return ids.reverse();
}
