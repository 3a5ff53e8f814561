import { randomUUID } from 'node:crypto';
import { PhaselineClient } from '@phaseline/client';
import { getTestRedisUrl } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import { startOrchestrator } from '../testing/orchestrator-for-specs.js';

const redisUrl = getTestRedisUrl();
const backends = [
  { backend: 'postgres', env: { PHASELINE_QUEUE_BACKEND: 'postgres' } },
  ...(redisUrl
    ? [
        {
          backend: 'redis',
          env: {
            PHASELINE_QUEUE_BACKEND: 'redis',
            REDIS_URL: redisUrl,
            PHASELINE_REDIS_PREFIX: `{timers-${randomUUID()}}`,
          },
        },
      ]
    : []),
];

describe.each(backends)('timers over $backend queues', ({ env }) => {
  it('end a job that exceeds its time, without the reconciler', async () => {
    const orchestrator = await startOrchestrator({ ...env, PHASELINE_RECONCILE_INTERVAL_MS: '600000' });
    try {
      const client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
      const { jobId } = await client.submit({ agent: 'writer', budgets: { maxWallTimeMs: 500 } });
      const job = await client.wait(jobId, { pollMs: 20, timeoutMs: 20_000 });
      expect(job).toMatchObject({ status: 'aborted', failure: { code: 'wall_time_limit' } });
      const types = (await orchestrator.store.read(`job-${jobId}`)).map(({ type }) => type);
      expect(types).toEqual(['JobSubmitted', 'PhaseDispatched', 'TimerSet', 'PhaseEnded', 'TimerFired', 'JobFailed']);
    } finally {
      await orchestrator.stop();
    }
  });

  it('of an ended job are removed from the queue', async () => {
    const orchestrator = await startOrchestrator(env);
    try {
      const client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
      const delayed = async () => (await client.queues()).queues.find(({ queue }) => queue === 'timers')?.delayed;
      const { jobId } = await client.submit({ agent: 'writer', budgets: { maxWallTimeMs: 86_400_000 } });
      await expect.poll(delayed).toBe(1);
      await client.cancel(jobId);
      await client.wait(jobId, { pollMs: 20, timeoutMs: 20_000 });
      await expect.poll(delayed).toBe(0);
    } finally {
      await orchestrator.stop();
    }
  });
});
