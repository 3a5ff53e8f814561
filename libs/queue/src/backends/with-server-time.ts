import type { RedisQueueBackend } from 'bullmq';
import type { ServerClock } from './server-clock.js';

/**
 * Position of the caller's `Date.now()` in the arguments of BullMQ's scripts, counted from the end. Taken from bullmq 6.7.0; the
 * contract suite of the queues tests it with workers whose clocks are wrong.
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
 * Makes a backend pass the time of Redis to BullMQ's scripts, and converts times that workers wait for to the local clock. Locks
 * are not affected: Redis expires them itself.
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
  // A reply is [message, id, rate limit, due time of the next delayed message].
  const toLocal = <R extends Reply>(reply: R): R =>
    (Array.isArray(reply) && reply.length === 4
      ? [...(reply as unknown[]).slice(0, 3), clock.toLocal(Number(reply[3]))]
      : reply) as R;
  const moveToActive = redis.moveToActive.bind(redis);
  // The replies that BullMQ declares are wider than those it sends.
  redis.moveToActive = async (token, name) => toLocal((await moveToActive(token, name)) as never);
  const moveToFinished = redis.moveToFinished.bind(redis);
  redis.moveToFinished = async (jobId, args) => toLocal((await moveToFinished(jobId, args)) as never);
  const moveToDelayed = redis.moveToDelayed.bind(redis);
  redis.moveToDelayed = async (...args) => toLocal((await moveToDelayed(...args)) as never);
  const waitForJob = redis.waitForJob.bind(redis);
  redis.waitForJob = async (blockTimeout) => {
    const marker = await waitForJob(blockTimeout);
    return marker && { ...marker, score: clock.toLocal(marker.score) };
  };
  return backend;
}
