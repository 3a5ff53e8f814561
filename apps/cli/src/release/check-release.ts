import type { JobId } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
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
  const progress = startProgress(context);
  const database = await openLogDatabase(context);
  const report = new ReleaseReport();
  try {
    const job = options.job === undefined ? undefined : await findJob(database.url, options.job);
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

async function findJob(databaseUrl: string, given: string): Promise<JobId> {
  const pool = createPool(databaseUrl, { max: 1, applicationName: 'phaseline-what-if' });
  try {
    return await requireJobInLog(pool, given);
  } finally {
    await pool.end();
  }
}
