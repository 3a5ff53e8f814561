import type { JobSummary, ListJobsQuery, PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { findJob } from '../connection/find-job.js';
import type { SeenJob } from './seen-job.js';
import type { BulkAction } from './send-request.js';

/**
 * Actions that are refused if another request reached the job after the command read it. Messages to the agent and decisions on
 * single calls apply regardless of other requests.
 */
const conditionalActions: ReadonlySet<BulkAction> = new Set(['pause', 'resume', 'retry', 'cancel']);

const PAGE_SIZE = 200;

/** Finds jobs by their ids or prefixes, each once. */
export async function findJobs(
  client: PhaselineClient,
  action: BulkAction,
  given: readonly string[],
  signal: AbortSignal,
): Promise<SeenJob[]> {
  const jobIds = new Set<JobId>();
  for (const text of given) jobIds.add(await findJob(client, text, signal));
  if (!conditionalActions.has(action)) return [...jobIds].map((jobId) => ({ jobId }));
  const seen: SeenJob[] = [];
  for (const jobId of jobIds) seen.push(toSeenJob(action, await client.get(jobId, { signal })));
  return seen;
}

/** Finds all jobs that match a filter. */
export async function listMatching(
  client: PhaselineClient,
  action: BulkAction,
  query: Partial<ListJobsQuery>,
  signal: AbortSignal,
): Promise<SeenJob[]> {
  const jobs: SeenJob[] = [];
  for await (const job of client.list({ ...query, limit: PAGE_SIZE }, { signal })) jobs.push(toSeenJob(action, job));
  return jobs;
}

/** A position makes the request conditional, so it is kept only for actions that are. */
function toSeenJob(action: BulkAction, { jobId, position, agent, status }: JobSummary): SeenJob {
  return { jobId, agent, status, ...(conditionalActions.has(action) ? { position } : {}) };
}
