import type { InboxItem, InboxQuery } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { findJob } from '../connection/find-job.js';
import { showRepeatedly } from '../output/refresh.js';
import { renderInbox } from './render-inbox.js';

export interface InboxOptions {
  readonly watch?: true;
  readonly kind?: NonNullable<InboxQuery['kind']>;
  readonly tenant?: string;
  readonly agent?: string;
}

/** Maximum number of entries shown. The oldest come first, so the others follow once these are decided. */
const MAX_SHOWN = 200;

/** `phaseline inbox`: shows what waits for a person. */
export async function showInbox(
  context: CommandContext,
  job: string | undefined,
  { watch, ...filter }: InboxOptions,
): Promise<ExitCode> {
  if (watch) return showRepeatedly(context, () => showOnce(context, job, filter, true));
  await showOnce(context, job, filter, false);
  return exitCode.ok;
}

async function showOnce(
  context: CommandContext,
  job: string | undefined,
  filter: Omit<InboxOptions, 'watch'>,
  isRepeated: boolean,
): Promise<void> {
  const { out, signal } = context;
  const client = await connect(context);
  const query = { ...filter, ...(job === undefined ? {} : { jobId: await findJob(client, job, signal) }) };
  const items: InboxItem[] = [];
  for await (const item of client.inbox(query, { signal })) {
    items.push(item);
    if (items.length > MAX_SHOWN) break;
  }
  const shown = items.slice(0, MAX_SHOWN);
  const hasMore = items.length > shown.length;
  if (out.isStructured) {
    if (isRepeated) out.writeRecord({ items: shown, hasMore });
    else out.writeDocument({ items: shown, hasMore });
    return;
  }
  if (shown.length === 0) out.writeMessage('Nothing waits for a person.');
  else out.writeLines(...renderInbox(shown, context.now(), out.paint));
  if (hasMore) out.writeMessage(`More entries follow the oldest ${MAX_SHOWN}.`);
}
