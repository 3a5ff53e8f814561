import { collectBlobs } from '@phaseline/event-store';
import { withLogPool } from '../audit/with-log-pool.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { LiveArea } from '../output/live-area.js';
import { formatBytes, pluralise, formatCount } from '../output/quantities.js';

export interface CollectOptions {
  readonly dryRun?: boolean;
  /** Blobs stored within this many hours are kept. */
  readonly graceHours?: number;
}

const HOUR_MS = 60 * 60 * 1_000;

/** `phaseline blobs collect`: removes blobs that nothing in the log refers to. Safe while services run. */
export async function collect(
  context: CommandContext,
  { dryRun = false, graceHours }: CollectOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const live = out.isTerminal && !out.isStructured ? new LiveArea(out) : undefined;
  return withLogPool(context, 'phaseline-blobs', async (pool, database) => {
    const found = await collectBlobs(pool, {
      dryRun,
      signal,
      ...(graceHours === undefined ? {} : { graceMs: graceHours * HOUR_MS }),
      ...(live ? { onProgress: (events) => live.draw([`${formatCount(events)} new events read`]) } : {}),
    }).finally(() => live?.erase());
    const what = `${pluralise(found.blobs, 'blob')} (${formatBytes(found.bytes)})`;
    if (out.isStructured) out.writeDocument({ database, dryRun, ...found });
    else if (dryRun) out.writeLines(`${what} would be removed.`);
    else out.writeLines(found.blobs === 0 ? 'Nothing to remove.' : `${what} removed.`);
    return exitCode.ok;
  });
}
