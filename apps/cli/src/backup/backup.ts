import { resolve } from 'node:path';
import { logDatabase } from '../audit/log-database.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { bytes, counted } from '../output/quantities.js';
import { copyLine } from './copy-line.js';

/** `phaseline backup FOLDER`: backs up one snapshot of the database while services run. Throws BackupUnusable and the database's errors. */
export async function backup(context: CommandContext, folder: string): Promise<ExitCode> {
  const { backUp } = await import('@phaseline/event-store');
  const { out, signal, now, currentDirectory } = context;
  const database = await logDatabase(context);
  const line = copyLine(context);
  try {
    const summary = await backUp(database.url, {
      folder: resolve(currentDirectory, folder),
      now: () => new Date(now()),
      signal,
      onProgress: line.show,
    });
    line.erase();
    if (out.json) out.record({ kind: 'backup', database: database.name, ...summary });
    else
      out.lines(
        `${counted(summary.events, 'event')}, ${counted(summary.rows, 'row')} in ${counted(summary.tables, 'table')}, ${bytes(summary.bytes)} written to ${folder}`,
        '  Not included: the master keys and the audit key. Without the master keys, encrypted jobs cannot be read.',
        `  Test it by restoring into an empty database: phaseline restore ${folder} (docs/how-to/backup.md)`,
      );
    return exitCode.ok;
  } finally {
    line.erase();
    await database.close();
  }
}
