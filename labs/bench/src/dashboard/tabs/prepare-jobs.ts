import { setTimeout as sleep } from 'node:timers/promises';
import type { PhaselineClient } from '@phaseline/client';
import { DeadLetters } from '@phaseline/cluster';
import type { JobId } from '@phaseline/contracts';
import { EventStore } from '@phaseline/event-store';
import { appendLongJob } from '@phaseline/harness';
import type pg from 'pg';
import { BenchFailed } from '../../bench-failed.js';
import { submitSmallJob } from './job-load.js';

/** Nearly enough rows for the lists to be full; the load adds the others while the tabs warm up. */
const SMALL_JOBS = 25;
const WAITING_JOBS = 3;
const BIG_JOB = { phases: 10, eventsPerPhase: 1_000 };
const PREPARATION_MS = 600_000;

export interface PreparedJobs {
  readonly small: JobId;
  readonly big: JobId;
  /** Jobs that wait for a person, and that nobody answers. */
  readonly waiting: ReadonlySet<JobId>;
}

/** Creates what the screens show: a big job, small ones that have ended, some that wait for a person, and dead letters. */
export async function prepareJobs(client: PhaselineClient, pool: pg.Pool): Promise<PreparedJobs> {
  const big = await appendLongJob(new EventStore(pool), BIG_JOB);
  await addDeadLetters(pool);
  const small = await submitMany(client, 'writer', SMALL_JOBS);
  const waiting = await submitMany(client, 'asker', WAITING_JOBS);
  const until = performance.now() + PREPARATION_MS;
  while (!(await isPrepared(client, small, waiting))) {
    if (performance.now() > until) throw new BenchFailed('the first jobs did not end within 10 minutes');
    await sleep(1_000);
  }
  return { small: small[0]!, big, waiting: new Set(waiting) };
}

async function submitMany(client: PhaselineClient, agent: string, count: number): Promise<readonly JobId[]> {
  const jobIds: JobId[] = [];
  for (let index = 0; index < count; index += 1) jobIds.push(await submitSmallJob(client, agent));
  return jobIds;
}

async function isPrepared(
  client: PhaselineClient,
  small: readonly JobId[],
  waiting: readonly JobId[],
): Promise<boolean> {
  for (const jobId of small) if ((await client.get(jobId)).status !== 'completed') return false;
  for (const jobId of waiting) if ((await client.get(jobId)).waitsFor?.kind !== 'question') return false;
  return true;
}

async function addDeadLetters(pool: pg.Pool): Promise<void> {
  for (const messageId of ['first', 'second', 'third'])
    await new DeadLetters(pool).add({
      ...{ queue: 'jobs', messageId, payload: { text: '{"agent": "wri' }, attempts: 1, enqueuedAt: undefined },
      reason: 'the payload is not JSON',
    });
}
