import { redisUrlForTests } from '@phaseline/test-database';
import { describe, expect, it } from 'vitest';
import { QueueUnavailable } from '../queue-errors.js';
import { inspectRedis } from './inspect-redis.js';

const url = redisUrlForTests() ?? '';

describe.skipIf(url === '')('a report of a Redis (needs a Redis)', () => {
  it('tells version, what it does when memory ends, and how it keeps messages', async () => {
    expect(await inspectRedis(url)).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+/) as string,
      evictionPolicy: 'noeviction',
      lastWriteOk: true,
      role: 'master',
    });
  });

  it('says plainly that there is none', async () => {
    await expect(inspectRedis('redis://:secret@127.0.0.1:1')).rejects.toSatisfy(
      (error) => error instanceof QueueUnavailable && !error.message.includes('secret'),
    );
  });
});
