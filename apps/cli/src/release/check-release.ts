import type { JobId } from '@phaseline/contracts';
import { withLogPool } from '../audit/with-log-pool.js';
import { openLogDatabase } from '../audit/open-log-database.js';
import { requireJobInLog } from '../audit/verify-log.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { startProgress } from '../output/start-progress.js';
import { ReleaseReport, renderReleaseProgress, renderReleaseReport } from './release-report.js';
import { runWhatIf } from './run-what-if.js';

export interface CheckReleaseOptions {
  readonly job?: string;
  readonly agent?: string;
  readonly since?: string;
  readonly limit: number;
}

/** `phaseline check-release`: decides recorded jobs again with this release. Exit code 1 if a decision differs. */
export async function checkRelease(context: CommandContext, options: CheckReleaseOptions): Promise<ExitCode> {
  const { out } = context;
  const { agent, since, limit } = options;
  const job = options.job === undefined ? undefined : await findJob(context, options.job);
  const progress = startProgress(context);
  const database = await openLogDatabase(context);
  const report = new ReleaseReport();
  try {
    const request = {
      ...(job === undefined ? {} : { job }),
      ...(agent === undefined ? {} : { agent }),
      ...(since === undefined ? {} : { since }),
      limit,
    };
    for await (const message of runWhatIf(database.url, request, context)) {
      report.add(message);
      progress.report(renderReleaseProgress(report));
    }
  } finally {
    progress.end();
    await database.close();
  }
  const summary = report.summarise();
  if (out.isStructured) out.writeDocument({ database: database.name, ...summary });
  else out.writeLines(...renderReleaseReport(summary, out.paint));
  return summary.passed ? exitCode.ok : exitCode.failed;
}

function findJob(context: CommandContext, given: string): Promise<JobId> {
  return withLogPool(context, 'phaseline-what-if', (pool) => requireJobInLog(pool, given));
}
