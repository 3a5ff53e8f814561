import type { JobSummary } from '@phaseline/client';
import { describe, expect, it } from 'vitest';
import { AmbiguousJob, NoSuchJob, UsageError } from '../command/command-errors.js';
import { jobSummary } from '../testing/example-job.js';
import { findJob } from './find-job.js';

const ids = [
  '019a8f00-0000-7000-8000-00000000000a',
  '019a8f00-0000-7000-8000-00000000000b',
  '019b0000-0000-7000-8000-00000000000c',
];

function createClient(jobIds: readonly string[] = ids): {
  list: () => AsyncGenerator<JobSummary, void, undefined>;
  jobsRead: number;
} {
  return {
    jobsRead: 0,
    async *list() {
      for (const jobId of jobIds) {
        this.jobsRead += 1;
        yield jobSummary({ jobId });
      }
    },
  };
}

describe('findJob', () => {
  it('returns a full id without a request', async () => {
    const client = createClient();
    expect(await findJob(client, ids[0]!.toUpperCase())).toBe(ids[0]);
    expect(client.jobsRead).toBe(0);
  });

  it.each([['019b'], ['job_019b0000-0000-7000-8000-00000000000c'], ['job-019b'], [' 019B ']])(
    'finds a job by %j',
    async (given) => {
      expect(await findJob(createClient(), given)).toBe(ids[2]);
    },
  );

  it('refuses a prefix that several jobs have', async () => {
    const error = await findJob(createClient(), '019a').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AmbiguousJob);
    expect((error as Error).message).toContain(ids[1]);
  });

  it('names only some of many candidates', async () => {
    const many = createClient(
      Array.from({ length: 500 }, (_, index) => `019a8f00-0000-7000-8000-${String(index).padStart(12, '0')}`),
    );
    await expect(findJob(many, '019a')).rejects.toThrow(/and more$/);
    expect(many.jobsRead).toBeLessThan(10);
  });

  it('refuses a prefix that no job has', async () => {
    await expect(findJob(createClient(), 'ffff')).rejects.toBeInstanceOf(NoSuchJob);
  });

  it.each([['my-job'], [''], ['../etc'], ['019a8f00-0000-7000-8000-00000000000a0']])(
    'rejects %j, which is not an id',
    async (given) => {
      await expect(findJob(createClient(), given)).rejects.toBeInstanceOf(UsageError);
    },
  );
});
