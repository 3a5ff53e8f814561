import { resolve } from 'node:path';
import { logDatabase } from '../audit/log-database.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { bytes, counted } from '../output/quantities.js';
import { copyLine } from './copy-line.js';

/** `phaseline backup FOLDER`: one moment of the database; nobody has to stop. Throws BackupUnusable and the database's errors. */
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
        `${counted(summary.events, 'event')}, ${counted(summary.rows, 'row')} in ${counted(summary.tables, 'table')}, ${bytes(summary.bytes)} in ${folder}`,
        '  Not in it: the master keys and the audit key. Without the master keys nobody can read encrypted jobs.',
        `  Try it: phaseline restore ${folder}, into an empty database (docs/backup.md)`,
      );
    return exitCode.ok;
  } finally {
    line.erase();
    await database.close();
  }
}
