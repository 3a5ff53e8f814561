import { resolve } from 'node:path';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { counted } from '../output/quantities.js';
import { auditKey } from './audit-key.js';
import { logDatabase } from './log-database.js';
import { existingJob } from './verify-log.js';

export interface ExportOptions {
  readonly out: string;
  readonly withFiles?: boolean;
  readonly source?: string;
}

/**
 * `phaseline audit export`: the log, or some jobs of it, in a folder that can be checked without a database; or the bare CloudEvents
 * in a file, where the name ends in `.jsonl`.
 */
export async function exportAudit(
  context: CommandContext,
  jobs: readonly string[],
  options: ExportOptions,
): Promise<ExitCode> {
  const [{ createPool }, audit] = await Promise.all([import('@phaseline/event-store'), import('@phaseline/audit')]);
  const { out, signal, now } = context;
  const target = resolve(context.currentDirectory, options.out);
  const database = await logDatabase(context);
  const pool = createPool(database.url, { max: 2, applicationName: 'phaseline-audit' });
  try {
    const ids: string[] = [];
    for (const job of jobs) ids.push(await existingJob(pool, job));
    const some = {
      signal,
      ...(ids.length > 0 ? { jobs: ids } : {}),
      ...(options.source === undefined ? {} : { source: options.source }),
    };
    if (target.endsWith('.jsonl')) {
      const events = await audit.exportEventFile(pool, target, some);
      if (out.json) out.document({ file: target, events });
      else
        out.lines(`${counted(events, 'event')} as CloudEvents in ${options.out}`, '  no proof: give a folder for that');
      return exitCode.ok;
    }
    const { key } = await auditKey(context);
    const summary = await audit.exportLog(pool, {
      ...some,
      folder: target,
      key,
      now: () => new Date(now()),
      withFiles: options.withFiles ?? false,
    });
    if (out.json) out.document(summary);
    else {
      const looked = `${counted(summary.events, 'event')} in ${counted(summary.streams, 'stream')}`;
      out.lines(
        `${looked}, ${counted(summary.seals, 'seal')} and ${counted(summary.blobs, 'file')} in ${options.out}`,
        ...(summary.damaged > 0
          ? [
              `  ${out.paint.red('✗')} ${counted(summary.damaged, 'file')} that events name are missing or altered in the database, and not in the export: audit verify names them`,
            ]
          : []),
        `  manifest ${summary.manifest}`,
        `  key      ${summary.keyId}`,
        `  check it: phaseline audit verify --export ${options.out}, or node verify-export.mjs ${options.out}`,
      );
    }
    return summary.damaged > 0 ? exitCode.failed : exitCode.ok;
  } finally {
    await pool.end();
    await database.close();
  }
}
