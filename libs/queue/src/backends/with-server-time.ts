import type { RedisQueueBackend } from 'bullmq';
import type { ServerClock } from './server-clock.js';

/**
 * Which argument of BullMQ's scripts is the caller's `Date.now()`, counted from the last one. Read from bullmq 6.7.0;
 * the contract of the queues runs workers whose clocks are wrong.
 */
const timeFromTheEnd: Readonly<Record<string, number>> = {
  moveToActive: 2,
  moveToFinished: 8,
  moveToDelayed: 8,
  retryJob: 5,
  moveStalledJobsToWait: 2,
};

type Commands = Pick<RedisQueueBackend, 'execCommand'>;
type Reply = readonly unknown[] | undefined;

/**
 * Makes a backend pass the time of Redis to BullMQ's scripts, and give back what is to be waited for in the time of this
 * process. Locks need nothing: Redis lets them end by itself.
 */
export function withServerTime<Backend extends object>(backend: Backend, clock: ServerClock): Backend {
  const redis = backend as Backend & RedisQueueBackend;
  const execCommand: Commands['execCommand'] = redis.execCommand.bind(redis);
  redis.execCommand = (client, command, args) => {
    const fromTheEnd = timeFromTheEnd[command];
    if (fromTheEnd === undefined) return execCommand(client, command, args) as unknown;
    const timed = [...(args as unknown[])];
    timed[timed.length - fromTheEnd] = clock.now();
    return execCommand(client, command, timed) as unknown;
  };
  // A reply is [message, id, rate limit, time until which there is nothing to take].
  const local = <R extends Reply>(reply: R): R =>
    (Array.isArray(reply) && reply.length === 4
      ? [...(reply as unknown[]).slice(0, 3), clock.toLocal(Number(reply[3]))]
      : reply) as R;
  const moveToActive = redis.moveToActive.bind(redis);
  redis.moveToActive = async (token, name) => local((await moveToActive(token, name)) as never);
  const moveToFinished = redis.moveToFinished.bind(redis);
  redis.moveToFinished = async (jobId, args) => local((await moveToFinished(jobId, args)) as never);
  const moveToDelayed = redis.moveToDelayed.bind(redis);
  redis.moveToDelayed = async (...args) => local((await moveToDelayed(...args)) as never);
  const waitForJob = redis.waitForJob.bind(redis);
  redis.waitForJob = async (blockTimeout) => {
    const marker = await waitForJob(blockTimeout);
    return marker && { ...marker, score: clock.toLocal(marker.score) };
  };
  return backend;
}
