import { DatabaseUnreachable, type RecordedEvent } from '@phaseline/event-store';
import { describe, expect, it } from 'vitest';
import { createAdvanceHandler } from './advance-jobs.js';
import { limitConcurrency } from './limit-concurrency.js';

const events = (...jobIds: string[]): RecordedEvent[] =>
  jobIds.map((correlationId) => ({ correlationId }) as RecordedEvent);

describe('a page of events', () => {
  it('advances each of its jobs once', async () => {
    const advanced: string[] = [];
    const handle = createAdvanceHandler({
      driver: { advance: async (jobId) => void advanced.push(jobId) },
      concurrency: 2,
      onProblem: () => {},
    });
    await handle(events('a', 'b', 'a', 'c', 'a'));
    expect(advanced).toEqual(['a', 'b', 'c']);
  });

  it('completes although one of its jobs cannot be decided, and reports that job', async () => {
    const problems: unknown[] = [];
    const advanced: string[] = [];
    const advance = async (jobId: string): Promise<void> => {
      if (jobId === 'bad') throw new Error('cannot be read');
      advanced.push(jobId);
    };
    const handle = createAdvanceHandler({
      driver: { advance },
      concurrency: 1,
      onProblem: (jobId, error) => problems.push([jobId, (error as Error).message]),
    });
    await handle(events('a', 'bad', 'b'));
    expect(advanced).toEqual(['a', 'b']);
    expect(problems).toEqual([['bad', 'cannot be read']]);
  });

  it('fails when the database is unreachable, after the other jobs were decided', async () => {
    const advanced: string[] = [];
    const advance = async (jobId: string): Promise<void> => {
      if (jobId === 'a') throw new DatabaseUnreachable(new Error('refused'));
      advanced.push(jobId);
    };
    const handle = createAdvanceHandler({ driver: { advance }, concurrency: 4, onProblem: () => expect.unreachable() });
    await expect(handle(events('a', 'b'))).rejects.toThrow(DatabaseUnreachable);
    expect(advanced).toEqual(['b']);
  });
});

describe('limited concurrency', () => {
  it('never runs more jobs concurrently, runs in order, and continues after a failure', async () => {
    const limited = limitConcurrency(3);
    let running = 0;
    let maxRunning = 0;
    const started: number[] = [];
    const runs = Array.from({ length: 20 }, (_, number) =>
      limited(async () => {
        started.push(number);
        maxRunning = Math.max(maxRunning, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, number % 3));
        running -= 1;
        if (number % 4 === 0) throw new Error(`run ${number}`);
        return number;
      }),
    );
    const outcomes = await Promise.allSettled(runs);
    expect(maxRunning).toBe(3);
    expect(started).toEqual(Array.from({ length: 20 }, (_, number) => number));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(5);
  });
});
