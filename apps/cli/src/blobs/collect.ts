import { collectBlobs, createPool } from '@phaseline/event-store';
import { openLogDatabase } from '../audit/open-log-database.js';
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
export async function collect(context: CommandContext, options: CollectOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const live = out.isTerminal && !out.isStructured ? new LiveArea(out) : undefined;
  const database = await openLogDatabase(context);
  const pool = createPool(database.url, { max: 1, applicationName: 'phaseline-blobs' });
  try {
    const found = await collectBlobs(pool, {
      dryRun: options.dryRun === true,
      signal,
      ...(options.graceHours === undefined ? {} : { graceMs: options.graceHours * HOUR_MS }),
      ...(live ? { onProgress: (events) => live.draw([`${formatCount(events)} new events read`]) } : {}),
    }).finally(() => live?.erase());
    const what = `${pluralise(found.blobs, 'blob')} (${formatBytes(found.bytes)})`;
    if (out.isStructured) out.writeDocument({ database: database.name, dryRun: options.dryRun === true, ...found });
    else if (options.dryRun) out.writeLines(`${what} would be removed.`);
    else out.writeLines(found.blobs === 0 ? 'Nothing to remove.' : `${what} removed.`);
    return exitCode.ok;
  } finally {
    await pool.end();
    await database.close();
  }
}
