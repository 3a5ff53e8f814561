import { logDatabase } from '../audit/log-database.js';
import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { readJobId } from '../connection/job-id.js';
import { counted } from '../output/quantities.js';

export interface SnapshotOptions {
  /** The whole id. */
  readonly job?: string;
}

/** How many wrong snapshots are named. */
const SHOWN_PROBLEMS = 20;

/** `phaseline snapshots check`: folds every snapshot's stream again and compares. Exit code 1 when one is wrong. */
export async function checkSnapshots(context: CommandContext, { job }: SnapshotOptions): Promise<ExitCode> {
  const { out, signal } = context;
  return withTable(context, async ({ store, snapshots, check }) => {
    const report = await check(store, snapshots, { jobId: wholeId(job), signal });
    if (out.json) out.document(report);
    else {
      const { checked, skipped, problems } = report;
      out.lines(
        problems.length === 0
          ? `${counted(checked, 'snapshot')} checked${checked > 0 ? ': each is what the log folds to' : ''}`
          : `${problems.length} of ${counted(checked, 'snapshot')} are not what the log folds to; delete them with: phaseline snapshots drop`,
        ...(skipped > 0
          ? [`  not checked: ${counted(skipped, 'snapshot')} of other releases, which this one never reads`]
          : []),
        ...problems.slice(0, SHOWN_PROBLEMS).map((one) => `  ${one.streamId} at version ${one.version}: ${one.kind}`),
      );
    }
    return report.problems.length === 0 ? exitCode.ok : exitCode.failed;
  });
}

/** `phaseline snapshots drop`: deletes them. Nothing is lost: whatever looks back next folds the log again. */
export async function dropSnapshots(context: CommandContext, { job }: SnapshotOptions): Promise<ExitCode> {
  const { out } = context;
  return withTable(context, async ({ snapshots }) => {
    const dropped = await snapshots.drop(wholeId(job));
    if (out.json) out.document({ dropped });
    else out.lines(`${counted(dropped, 'snapshot')} deleted`);
    return exitCode.ok;
  });
}

async function withTable(
  context: CommandContext,
  work: (parts: {
    store: import('@phaseline/event-store').EventStore;
    snapshots: import('@phaseline/repository').Snapshots;
    check: typeof import('@phaseline/repository').checkSnapshots;
  }) => Promise<ExitCode>,
): Promise<ExitCode> {
  const [{ createPool, EventStore }, repository] = await Promise.all([
    import('@phaseline/event-store'),
    import('@phaseline/repository'),
  ]);
  const database = await logDatabase(context);
  try {
    const pool = createPool(database.url, { max: 2, applicationName: 'phaseline-snapshots' });
    try {
      return await work({
        store: new EventStore(pool),
        snapshots: new repository.Snapshots(pool),
        check: repository.checkSnapshots,
      });
    } finally {
      await pool.end();
    }
  } finally {
    await database.close();
  }
}

function wholeId(job: string | undefined): string | undefined {
  if (job === undefined) return undefined;
  const { text, whole } = readJobId(job);
  if (!whole) throw new UsageError('Give the whole id of the job: snapshots are looked up without a server.');
  return text;
}
