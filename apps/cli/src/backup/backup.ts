import { resolve } from 'node:path';
import { openLogDatabase } from '../audit/open-log-database.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { formatBytes, pluralise } from '../output/quantities.js';
import { createCopyProgress } from './copy-progress.js';

/** `phaseline backup FOLDER`: backs up one snapshot of the database while services run. Throws BackupUnusable and the database's errors. */
export async function backup(context: CommandContext, folder: string): Promise<ExitCode> {
  const { backUp } = await import('@phaseline/event-store');
  const { out, signal, now, currentDirectory } = context;
  const database = await openLogDatabase(context);
  const line = createCopyProgress(context);
  try {
    const summary = await backUp(database.url, {
      folder: resolve(currentDirectory, folder),
      now: () => new Date(now()),
      signal,
      onProgress: line.show,
    });
    line.erase();
    if (out.isStructured) out.writeRecord({ kind: 'backup', database: database.name, ...summary });
    else
      out.writeLines(
        `${pluralise(summary.events, 'event')}, ${pluralise(summary.rows, 'row')} in ${pluralise(summary.tables, 'table')}, ${formatBytes(summary.bytes)} written to ${folder}`,
        '  Not included: the master keys and the audit key. Without the master keys, encrypted jobs cannot be read.',
        `  Test it by restoring into an empty database: phaseline restore ${folder} (docs/how-to/backup.md)`,
      );
    return exitCode.ok;
  } finally {
    line.erase();
    await database.close();
  }
}
