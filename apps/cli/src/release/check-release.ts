import { releaseCheckMessageSchema } from '@phaseline/contracts';
import { openLogDatabase } from '../audit/open-log-database.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { startProgress } from '../output/start-progress.js';
import { chooseJobs, type JobChoice } from './choose-jobs.js';
import { ReleaseReport, renderReleaseProgress, renderReleaseReport } from './release-report.js';
import { runWhatIf } from './run-what-if.js';

/** `phaseline check-release`: decides recorded jobs again with this release. Exit code 1 if a decision differs. */
export async function checkRelease(context: CommandContext, options: JobChoice): Promise<ExitCode> {
  const { out } = context;
  const progress = startProgress(context);
  const database = await openLogDatabase(context);
  const report = new ReleaseReport();
  try {
    const request = { kind: 'release-check' as const, ...(await chooseJobs(database.url, options)) };
    for await (const message of runWhatIf(database.url, request, releaseCheckMessageSchema, context)) {
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
