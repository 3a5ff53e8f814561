import type { JobId } from '@phaseline/contracts';
import { EventStore, openColdStorage } from '@phaseline/event-store';
import { checkSnapshots as compareWithLog, Snapshots } from '@phaseline/repository';
import { withLogPool } from '../audit/with-log-pool.js';
import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { readJobId } from '../connection/job-id.js';
import { pluralise } from '../output/quantities.js';

export interface SnapshotOptions {
  /** Full id of a job. */
  readonly job?: string;
}

const APPLICATION_NAME = 'phaseline-snapshots';
/** Number of wrong snapshots to list. */
const MAX_PROBLEMS_SHOWN = 20;

/** `phaseline snapshots check`: compares every snapshot with a fold of its stream. Exit code 1 if one is wrong. */
export async function checkSnapshots(context: CommandContext, { job }: SnapshotOptions): Promise<ExitCode> {
  const { out, signal } = context;
  return withLogPool(context, APPLICATION_NAME, async (pool) => {
    const report = await compareWithLog(
      new EventStore(pool, { cold: openColdStorage(context.env) }),
      new Snapshots(pool),
      {
        jobId: requireFullId(job),
        signal,
      },
    );
    if (out.isStructured) out.writeDocument(report);
    else {
      const { checked, skipped, problems } = report;
      out.writeLines(
        problems.length === 0
          ? `${pluralise(checked, 'snapshot')} checked${checked > 0 ? ': all match the log' : ''}`
          : `${problems.length} of ${pluralise(checked, 'snapshot')} differ from the log; delete them with: phaseline snapshots delete`,
        ...(skipped > 0
          ? [`  not checked: ${pluralise(skipped, 'snapshot')} of other releases, which this release does not read`]
          : []),
        ...problems
          .slice(0, MAX_PROBLEMS_SHOWN)
          .map((one) => `  ${one.streamId} at version ${one.version}: ${one.kind}`),
      );
    }
    return report.problems.length === 0 ? exitCode.ok : exitCode.failed;
  });
}

/** `phaseline snapshots delete`: deletes snapshots. Nothing is lost: reading a past state folds the log again. */
export async function deleteSnapshots(context: CommandContext, { job }: SnapshotOptions): Promise<ExitCode> {
  const { out } = context;
  return withLogPool(context, APPLICATION_NAME, async (pool) => {
    const dropped = await new Snapshots(pool).deleteAll(requireFullId(job));
    if (out.isStructured) out.writeDocument({ deleted: dropped });
    else out.writeLines(`${pluralise(dropped, 'snapshot')} deleted`);
    return exitCode.ok;
  });
}

function requireFullId(job: string | undefined): JobId | undefined {
  if (job === undefined) return undefined;
  const { text, whole } = readJobId(job);
  if (!whole) throw new UsageError('Give the full id of the job: without a server, prefixes cannot be resolved.');
  return text;
}
