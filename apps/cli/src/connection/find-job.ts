import type { JobSummary, PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { connect } from './connect.js';
import { requireSingleJob, readJobId, MAX_CANDIDATES_SHOWN } from './job-id.js';

/** Number of newest jobs searched for a prefix. Older jobs need their full id. */
const MAX_JOBS_SEARCHED = 2_000;
const PAGE_SIZE = 200;

/** Connects to the selected server and finds the job that the user named. Throws UsageError, NoSuchJob, AmbiguousJob. */
export async function connectToJob(
  context: CommandContext,
  given: string,
): Promise<{ readonly client: PhaselineClient; readonly jobId: JobId }> {
  const client = await connect(context);
  return { client, jobId: await findJob(client, given, context.signal) };
}

/** Resolves a job id or a prefix of one. A full id is returned without a request. Throws UsageError, NoSuchJob, AmbiguousJob. */
export async function findJob(
  client: Pick<PhaselineClient, 'list'>,
  given: string,
  signal?: AbortSignal,
): Promise<JobId> {
  const { text, whole } = readJobId(given);
  if (whole) return text;
  const found: JobSummary[] = [];
  let searched = 0;
  for await (const job of client.list({ limit: PAGE_SIZE }, signal ? { signal } : {})) {
    if (job.jobId.startsWith(text)) found.push(job);
    searched += 1;
    if (searched >= MAX_JOBS_SEARCHED || found.length > MAX_CANDIDATES_SHOWN) break;
  }
  const scope = searched >= MAX_JOBS_SEARCHED ? `among the newest ${MAX_JOBS_SEARCHED} jobs` : 'on this server';
  return requireSingleJob(text, found, scope);
}
