import { setTimeout as sleep } from 'node:timers/promises';
import type { JobSummary, PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, exitCodeOfStatus, type ExitCode } from '../command/exit-code.js';
import { renderOutcome } from '../job/render-job.js';
import { pluralise } from '../output/quantities.js';
import { followJob } from './follow-job.js';

/** Interval in milliseconds between checks whether the next job was started. */
const CHECK_INTERVAL_MS = 500;

/**
 * Follows a job to its end, and then every job of an agent that is started for what the job wrote to the cache. The exit code is that of the
 * first job that did not complete; the jobs after a job that did not complete are not followed.
 */
export async function followChain(
  context: CommandContext,
  client: PhaselineClient,
  jobId: JobId,
  agent: string,
): Promise<ExitCode> {
  const { out } = context;
  const first = await followOne(context, client, jobId);
  const followOns: JobSummary[] = [];
  if (exitCodeOfStatus(first.status) === exitCode.ok)
    for await (const next of listStarted(context, client, jobId, agent)) {
      if (!out.isStructured)
        out.writeLines(
          '',
          `${agent}: job ${next.jobId}, batch ${next.batch} (${pluralise(next.requirements, 'requirement')})`,
        );
      const job = await followOne(context, client, next.jobId);
      followOns.push(job);
      if (exitCodeOfStatus(job.status) !== exitCode.ok) break;
    }
  if (out.isStructured) out.writeDocument({ job: first, followOns });
  else if (followOns.length === 0 && exitCodeOfStatus(first.status) === exitCode.ok)
    out.writeMessage(`The job added no requirements to the cache, so no job of ${agent} was started.`);
  return [first, ...followOns]
    .map(({ status }) => exitCodeOfStatus(status))
    .reduce((code, next) => (code === exitCode.ok ? next : code));
}

async function followOne(context: CommandContext, client: PhaselineClient, jobId: JobId): Promise<JobSummary> {
  const { out, signal } = context;
  if (out.isStructured) return client.wait(jobId, { signal });
  await followJob(client, jobId, context);
  const job = await client.get(jobId, { signal });
  out.writeLines(...renderOutcome(job, out.paint));
  return job;
}

interface StartedJob {
  readonly jobId: JobId;
  readonly batch: number;
  readonly requirements: number;
}

/** Yields each job that was started for requirements of a job that has ended, until none of its requirements waits for one. */
export async function* listStarted(
  { out, signal }: CommandContext,
  client: PhaselineClient,
  jobId: JobId,
  agent: string,
): AsyncGenerator<StartedJob, void, undefined> {
  const seen = new Set<JobId>();
  let isToldToWait = false;
  for (;;) {
    const { items, waiting } = await client.followOns(jobId, agent, { signal });
    const next = items.find((item) => !seen.has(item.jobId));
    if (next) {
      seen.add(next.jobId);
      yield next;
    } else if (waiting === 0) return;
    else {
      if (!isToldToWait && !out.isStructured)
        out.writeMessage(`Waiting for a job of ${agent} for ${pluralise(waiting, 'requirement')}…`);
      isToldToWait = true;
      await sleep(CHECK_INTERVAL_MS, undefined, { signal });
    }
  }
}
