import type { JobSummary, PhaselineClient } from '@phaseline/client';
import { onlyJob, readJobId, SHOWN_CANDIDATES } from './job-id.js';

/** So many of the newest jobs are looked through for a prefix; older ones need their whole id. */
const SEARCHED_JOBS = 2_000;
const PAGE = 200;

/** The id of the job that is meant; a whole id is taken without asking. Throws UsageError, NoSuchJob, AmbiguousJob. */
export async function findJob(
  client: Pick<PhaselineClient, 'list'>,
  given: string,
  signal?: AbortSignal,
): Promise<string> {
  const { text, whole } = readJobId(given);
  if (whole) return text;
  const found: JobSummary[] = [];
  let searched = 0;
  for await (const job of client.list({ limit: PAGE }, signal ? { signal } : {})) {
    if (job.jobId.startsWith(text)) found.push(job);
    searched += 1;
    if (searched >= SEARCHED_JOBS || found.length > SHOWN_CANDIDATES) break;
  }
  return onlyJob(text, found, searched >= SEARCHED_JOBS ? `among the newest ${SEARCHED_JOBS} jobs` : 'here');
}
