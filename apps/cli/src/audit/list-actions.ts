import type { ActionRecord, ActionsQuery, PhaselineClient } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { findJob } from '../connection/find-job.js';
import { startProgress } from '../output/start-progress.js';
import { pluralise } from '../output/quantities.js';
import { renderActions } from './render-actions.js';

export interface ActionsOptions {
  readonly job?: string;
  readonly principal?: string;
  readonly action?: string;
  readonly tenant?: string;
  /** ISO time. */
  readonly since?: string;
  readonly limit: number;
}

/** Maximum number of actions per request that the server accepts. */
const PAGE_SIZE = 200;

/** `phaseline audit actions`: lists what persons and keys did, latest first. */
export async function listActions(context: CommandContext, options: ActionsOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const jobId = options.job === undefined ? undefined : await findJob(client, options.job, signal);
  const query = { jobId, actor: options.principal, action: options.action, tenant: options.tenant };
  const { items, hasMore } = await readActions(client, query, context, options);
  if (out.isStructured) out.writeDocument({ items, hasMore });
  else if (items.length === 0) out.writeMessage('Nobody did that, or you may not see it. Remove a filter to see more.');
  else out.writeLines(...renderActions(items, out.paint, { width: out.columns, isWide: out.isWide }));
  if (hasMore && !out.isStructured)
    out.writeMessage(`There are more actions. Show them with --limit ${options.limit * 5}.`);
  return exitCode.ok;
}

/** Reads pages until there are enough actions, or older ones than wanted. A page may be empty, since the server reads a part of the log. */
async function readActions(
  client: PhaselineClient,
  query: Partial<ActionsQuery>,
  context: CommandContext,
  { since, limit }: ActionsOptions,
): Promise<{ readonly items: readonly ActionRecord[]; readonly hasMore: boolean }> {
  const { signal } = context;
  const items: ActionRecord[] = [];
  const progress = startProgress(context);
  try {
    for (let cursor: string | undefined; ;) {
      const page = await client.audit.actions({ ...query, cursor, limit: PAGE_SIZE }, { signal });
      const wanted = page.items.filter(({ at }) => since === undefined || Date.parse(at) >= Date.parse(since));
      items.push(...wanted);
      const isOldEnough = wanted.length < page.items.length;
      cursor = page.nextCursor;
      if (items.length > limit) return { items: items.slice(0, limit), hasMore: true };
      if (cursor === undefined || isOldEnough) return { items, hasMore: false };
      if (items.length === limit) return { items, hasMore: true };
      progress.report(`Reading the log: ${pluralise(items.length, 'action')} found`);
    }
  } finally {
    progress.end();
  }
}
