import type { JobSummary, ListJobsQuery, PhaselineClient } from '@phaseline/client';
import { isEnded, jobStatuses, type JobStatus } from '@phaseline/contracts';
import { UsageError } from '../command/command-errors.js';
import { parsePast } from '../command/option-values.js';
import { findJob } from '../connection/find-job.js';
import { toConditions, type JobFilterOptions } from '../job/job-filter.js';
import { BRANCH_LABEL } from './client-branches.js';

const PAGE_SIZE = 200;

/** Conditions of a selection by their names. */
const conditions: Readonly<Record<string, (value: string) => JobFilterOptions>> = {
  agent: (value) => ({ agent: [value] }),
  status: (value) => ({ status: [parseStatus(value)] }),
  tenant: (value) => ({ tenant: [value] }),
  label: (value) => ({ label: [value] }),
  text: (value) => ({ text: value }),
  since: (value) => ({ since: parsePast(value) }),
  before: (value) => ({ before: parsePast(value) }),
};

/**
 * Finds the newest ended jobs that match: `agent=NAME`, `status=completed`, `label=KEY=VALUE`, `since=7d` and others combined, or jobs by id. Branches and
 * encrypted jobs, which cannot be forked, are left out. Throws UsageError.
 */
export async function selectEndedJobs(
  client: PhaselineClient,
  given: readonly string[],
  max: number,
  signal: AbortSignal,
): Promise<readonly JobSummary[]> {
  const jobs: JobSummary[] = [];
  const named = given.filter((text) => !text.includes('='));
  if (named.length > 0) {
    if (named.length < given.length) throw new UsageError('--jobs takes ids of jobs or conditions, not both.');
    for (const text of named) jobs.push(await client.get(await findJob(client, text, signal), { signal }));
    return jobs.filter(canBranch);
  }
  for await (const job of client.list({ ...parseConditions(given), limit: PAGE_SIZE }, { signal })) {
    if (canBranch(job)) jobs.push(job);
    if (jobs.length >= max) break;
  }
  return jobs;
}

function canBranch({ status, labels, encrypted }: JobSummary): boolean {
  return isEnded(status) && labels?.[BRANCH_LABEL] === undefined && !encrypted;
}

function parseConditions(given: readonly string[]): Partial<ListJobsQuery> {
  const options = given.reduce<JobFilterOptions>((before, text) => {
    const [, name = '', value = ''] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
    const parse = Object.hasOwn(conditions, name) ? conditions[name] : undefined;
    if (!parse)
      throw new UsageError(
        `--jobs ${text}: expected ids of jobs, or conditions such as agent=NAME: ${Object.keys(conditions).join(', ')}.`,
      );
    try {
      return { ...before, ...parse(value) };
    } catch (error) {
      throw new UsageError(`--jobs ${text}: ${(error as Error).message}`);
    }
  }, {});
  return toConditions(options);
}

function parseStatus(value: string): JobStatus {
  const status = jobStatuses.find((one) => one === value);
  if (status) return status;
  throw new UsageError(`Expected one of ${jobStatuses.join(', ')}.`);
}
