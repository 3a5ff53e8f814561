import { join, resolve } from 'node:path';
import { openColdStorage } from '@phaseline/event-store';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { pluralise } from '../output/quantities.js';
import { loadAuditKey } from './load-audit-key.js';
import { withLogPool } from './with-log-pool.js';
import { requireJobInLog } from './verify-log.js';

export interface ExportOptions {
  readonly out: string;
  readonly withFiles?: boolean;
  readonly source?: string;
}

/**
 * `phaseline audit export`: writes the log, or some of its jobs, to a folder that can be verified without a database. If the target
 * ends in `.jsonl`, writes only the CloudEvents, to a file.
 */
export async function exportAudit(
  context: CommandContext,
  jobs: readonly string[],
  options: ExportOptions,
): Promise<ExitCode> {
  const audit = await import('@phaseline/audit');
  const { out, signal, now, env } = context;
  const target = resolve(context.currentDirectory, options.out);
  return withLogPool(context, 'phaseline-audit', async (pool) => {
    const ids: string[] = [];
    for (const job of jobs) ids.push(await requireJobInLog(pool, job));
    const selection = {
      signal,
      cold: openColdStorage(env),
      ...(ids.length > 0 ? { jobs: ids } : {}),
      ...(options.source === undefined ? {} : { source: options.source }),
    };
    if (target.endsWith('.jsonl')) {
      const events = await audit.exportEventFile(pool, target, selection);
      if (out.isStructured) out.writeDocument({ file: target, events });
      else
        out.writeLines(
          `${pluralise(events, 'event')} written as CloudEvents to ${options.out}`,
          '  not verifiable: for an export with proofs, give a folder',
        );
      return exitCode.ok;
    }
    const { key } = await loadAuditKey(context);
    const summary = await audit.exportLog(pool, {
      ...selection,
      folder: target,
      key,
      now: () => new Date(now()),
      withFiles: options.withFiles ?? false,
    });
    if (out.isStructured) out.writeDocument(summary);
    else {
      const exported = `${pluralise(summary.events, 'event')} in ${pluralise(summary.streams, 'stream')}`;
      out.writeLines(
        `${exported}, ${pluralise(summary.anchors, 'anchor')} and ${pluralise(summary.blobs, 'file')} written to ${options.out}`,
        ...(summary.damaged > 0
          ? [
              `  ${out.paint.red('✗')} left out ${pluralise(summary.damaged, 'file')} whose content is missing or altered in the database; list them with: phaseline audit verify`,
            ]
          : []),
        `  manifest ${summary.manifestHash}`,
        `  key      ${summary.keyId}`,
        `  verify it with: phaseline audit verify --export ${options.out}, or node ${join(options.out, 'check-export.mjs')} ${options.out}`,
        ...(summary.claimsChecker
          ? [`  derive its claims with: node ${join(options.out, 'verify-claims.mjs')} ${options.out}`]
          : []),
        ...(options.withFiles ? [] : ['  to derive its claims from it, export it again --with-files']),
      );
    }
    return summary.damaged > 0 ? exitCode.failed : exitCode.ok;
  });
}
