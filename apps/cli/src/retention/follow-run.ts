import { setTimeout as sleep } from 'node:timers/promises';
import type { PhaselineClient, RetentionRunJobRecord, RetentionRunRecord } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { pluralise } from '../output/quantities.js';

/** Interval in milliseconds between requests. */
const POLL_MS = 250;
/** A run that lasts longer, in milliseconds, reports its progress this often. */
const PROGRESS_MS = 2_000;
const PAGE_SIZE = 500;

/** Waits until a run has ended, and hands over what it did with each job as it happens. Throws the reason of the signal. */
export async function followRun(
  api: Pick<PhaselineClient['retention'], 'getRun' | 'listRunJobs'>,
  runId: string,
  { out, signal, now }: Pick<CommandContext, 'out' | 'signal' | 'now'>,
  onJob: (job: RetentionRunJobRecord) => void,
  wait = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal }),
): Promise<RetentionRunRecord> {
  let after = 0;
  let reportedAt = now();
  for (;;) {
    // Before the jobs: if the run has ended, they are complete.
    const run = await api.getRun(runId, { signal });
    for (let isLast = false; !isLast;) {
      const page = await api.listRunJobs(runId, { after, limit: PAGE_SIZE }, { signal });
      page.items.forEach(onJob);
      isLast = page.items.length < PAGE_SIZE;
      after = page.nextAfter;
    }
    if (run.status === 'completed' || run.status === 'failed') return run;
    if (now() - reportedAt >= PROGRESS_MS) {
      reportedAt = now();
      out.writeMessage(describeProgress(run));
    }
    await wait(POLL_MS);
  }
}

function describeProgress({ status, jobs, removedJobs, movedJobs }: RetentionRunRecord): string {
  if (status === 'waiting') return 'Waiting until another run has ended; the run continues on the server after Ctrl-C.';
  return `${pluralise(jobs, 'job')} checked, ${removedJobs} with something to remove, ${movedJobs} to move to cold storage; the run continues on the server after Ctrl-C.`;
}
