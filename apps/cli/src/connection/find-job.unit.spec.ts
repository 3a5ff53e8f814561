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

function server(jobIds: readonly string[] = ids): {
  list: () => AsyncGenerator<JobSummary, void, undefined>;
  asked: number;
} {
  return {
    asked: 0,
    async *list() {
      for (const jobId of jobIds) {
        this.asked += 1;
        yield jobSummary({ jobId });
      }
    },
  };
}

describe('the job that is meant', () => {
  it('by its whole id is taken without asking', async () => {
    const asked = server();
    expect(await findJob(asked, ids[0]!.toUpperCase())).toBe(ids[0]);
    expect(asked.asked).toBe(0);
  });

  it.each([['019b'], ['job_019b0000-0000-7000-8000-00000000000c'], ['job-019b'], [' 019B ']])(
    'is found by %j',
    async (given) => {
      expect(await findJob(server(), given)).toBe(ids[2]);
    },
  );

  it('is not guessed when several begin alike', async () => {
    const error = await findJob(server(), '019a').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AmbiguousJob);
    expect((error as Error).message).toContain(ids[1]);
  });

  it('names only some of very many candidates', async () => {
    const many = server(
      Array.from({ length: 500 }, (_, index) => `019a8f00-0000-7000-8000-${String(index).padStart(12, '0')}`),
    );
    await expect(findJob(many, '019a')).rejects.toThrow(/and more$/);
    expect(many.asked).toBeLessThan(10);
  });

  it('is not found when none begins so', async () => {
    await expect(findJob(server(), 'ffff')).rejects.toBeInstanceOf(NoSuchJob);
  });

  it.each([['my-job'], [''], ['../etc'], ['019a8f00-0000-7000-8000-00000000000a0']])(
    '%j is no id at all',
    async (given) => {
      await expect(findJob(server(), given)).rejects.toBeInstanceOf(UsageError);
    },
  );
});
