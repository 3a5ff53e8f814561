import { getTestRedisUrl } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import { QueueUnavailable } from '../queue-errors.js';
import { inspectRedis } from './inspect-redis.js';

const url = getTestRedisUrl() ?? '';

describe.skipIf(url === '')('inspectRedis (needs a Redis server)', () => {
  it('returns the version, the eviction policy and the state of persistence', async () => {
    expect(await inspectRedis(url)).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+/) as string,
      evictionPolicy: 'noeviction',
      lastWriteOk: true,
      role: 'master',
    });
  });

  it('throws QueueUnavailable without the password when no server responds', async () => {
    await expect(inspectRedis('redis://:secret@127.0.0.1:1')).rejects.toSatisfy(
      (error) => error instanceof QueueUnavailable && !error.message.includes('secret'),
    );
  });
});
