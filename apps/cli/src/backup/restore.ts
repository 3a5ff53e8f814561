import { resolve } from 'node:path';
import { renderAudit } from '../audit/render-audit.js';
import { verifyLog } from '../audit/verify-log.js';
import { openColdStorage } from '@phaseline/event-store';
import type { CommandContext } from '../command/command-context.js';
import { StackRuns } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { pluralise } from '../output/quantities.js';
import { planStack } from '../stack/stack-plan.js';
import { createCopyProgress } from './copy-progress.js';

interface Target {
  /** Logs in as the owner of the schema. */
  readonly url: string;
  readonly name: string;
  close(): Promise<void>;
}

/**
 * `phaseline restore FOLDER`: restores a backup into an empty database (DATABASE_URL as its owner, else a new one in PHASELINE_HOME)
 * and verifies the log. Exit code 1 if that fails. Throws BackupUnusable, RestoreRefused, StackRuns and the database's errors.
 */
export async function restore(context: CommandContext, folder: string): Promise<ExitCode> {
  const { restoreBackup } = await import('@phaseline/event-store');
  const { migrateQueues } = await import('@phaseline/queue');
  const { out, signal, currentDirectory } = context;
  const line = createCopyProgress(context);
  await refuseRunningStack(context);
  let target: Target | undefined;
  try {
    const open = async (): Promise<string> => (target = await openTarget(context)).url;
    const summary = await restoreBackup(open, {
      folder: resolve(currentDirectory, folder),
      signal,
      onStep: (text) => out.writeMessage(out.errorPaint.dim(text)),
      onProgress: line.show,
    });
    line.erase();
    const { url, name } = target!;
    await migrateQueues(url);
    out.writeMessage(out.errorPaint.dim('verifying the log'));
    const report = await verifyLog(url, { signal, cold: openColdStorage(context.env) });
    if (out.isStructured) out.writeRecord({ kind: 'restored', database: name, ...summary, audit: report });
    else
      out.writeLines(
        `${pluralise(summary.events, 'event')}, ${pluralise(summary.rows, 'row')} in ${pluralise(summary.tables, 'table')} of the backup of ${summary.createdAt} restored into ${name}`,
        ...renderAudit(report, out.paint),
        'The services rebuild read models, snapshots and mirrors from the log when they start.',
      );
    return report.passed ? exitCode.ok : exitCode.failed;
  } finally {
    line.erase();
    await target?.close();
  }
}

/** Called before the backup is read, which may take minutes. */
async function refuseRunningStack({ env, currentDirectory }: CommandContext): Promise<void> {
  if (planStack(env).databaseUrl !== undefined) return;
  const { openLocalHome } = await import('@phaseline/local-stack');
  const home = await openLocalHome(env, currentDirectory);
  if (await home.findRunning())
    throw new StackRuns(`A stack is running in ${home.directory}. Stop it, and set PHASELINE_HOME to a new folder.`);
}

async function openTarget({ env, currentDirectory }: CommandContext): Promise<Target> {
  const { databaseUrl } = planStack(env);
  if (databaseUrl !== undefined)
    return { url: databaseUrl, name: `DATABASE_URL (${new URL(databaseUrl).host})`, close: async () => {} };
  const { openLocalHome, startPostgres } = await import('@phaseline/local-stack');
  const home = await openLocalHome(env, currentDirectory);
  const postgres = await startPostgres({ dataDir: home.postgresDirectory, durable: true });
  return { url: postgres.ownerUrl, name: `the database in ${home.directory}`, close: () => postgres.stop() };
}
