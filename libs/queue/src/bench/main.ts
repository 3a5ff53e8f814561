/**
 * Measures the latency and throughput of the queues.
 *
 *   node libs/queue/dist/bench/main.js <postgresql://owner… | redis://…> [messages]
 *
 * Prints p50 and p95 in milliseconds: `hop` is the time from the call of `send` to the start of the handler; `two hops` includes a
 * second queue to which the handler sends, as in a step with a tool call. Both are measured with one message at a time ("idle") and
 * with 32 concurrent ones ("loaded"). Then prints messages per second for an empty handler at concurrency 1, 10 and 50. A PostgreSQL
 * database is migrated first; on Redis a unique prefix is used. Options: the number of messages (default 2,000);
 * PHASELINE_BENCH_SYNC=1 makes PostgreSQL wait for the disk at every step.
 */
import { randomUUID } from 'node:crypto';
import type { PhaseMessage } from '@phaseline/contracts';
import { createQueues, type BackendConfig } from '../create-queues.js';
import { migrateQueues } from '../migrate-queues.js';
import type { Queues } from '../queues.js';

const [url = '', count = '2000'] = process.argv.slice(2);
const messages = Number(count);
const config: BackendConfig = url.startsWith('redis')
  ? { backend: 'redis', url, prefix: `{bench-${randomUUID()}}` }
  : { backend: 'postgres', connectionString: url, synchronousCommit: process.env.PHASELINE_BENCH_SYNC === '1' };
if (config.backend === 'postgres') await migrateQueues(url);

const connect = (): Promise<Queues> =>
  createQueues(config, {
    onDeadLetter: async (deadLetter) => console.error(deadLetter.reason),
    onError: (error) => console.error(error.message),
  });
const createMessage = (phase: number): PhaseMessage => ({ jobId: randomUUID(), phase, version: 1, epoch: 0 });
const formatPercentile = (sorted: number[], share: number): string =>
  (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
const printLatency = (label: string, times: number[]): void => {
  const sorted = times.toSorted((a, b) => a - b);
  console.log(
    `${label.padEnd(28)} p50 ${formatPercentile(sorted, 0.5).padStart(7)} ms   p95 ${formatPercentile(sorted, 0.95).padStart(7)} ms`,
  );
};

async function measureLatency(): Promise<void> {
  const queues = await connect();
  const ends = new Map<string, { first?: number; second: PromiseWithResolvers<number> }>();
  await queues.work('tools', async ({ jobId }) => ends.get(jobId)!.second.resolve(performance.now()));
  await queues.work('tactical', async ({ jobId, phase, epoch }) => {
    ends.get(jobId)!.first = performance.now();
    await queues.send('tools', { jobId, phase, callId: 'call_1', epoch });
  });
  const hops: number[] = [];
  const twoHops: number[] = [];
  const sendOne = async (): Promise<void> => {
    const payload = createMessage(1);
    const end: { first?: number; second: PromiseWithResolvers<number> } = { second: Promise.withResolvers() };
    ends.set(payload.jobId, end);
    const start = performance.now();
    await queues.send('tactical', payload);
    twoHops.push((await end.second.promise) - start);
    hops.push(end.first! - start);
  };
  for (let warm = 0; warm < 200; warm++) await sendOne();
  for (const [label, concurrency, total] of [
    ['idle', 1, messages / 4],
    ['loaded', 32, messages],
  ] as const) {
    hops.length = twoHops.length = 0;
    let left = total;
    const started = performance.now();
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (left-- > 0) {
          await sendOne();
          if (concurrency === 1) await new Promise((resolve) => setTimeout(resolve, 3));
        }
      }),
    );
    printLatency(`${label}: hop`, hops);
    printLatency(`${label}: two hops`, twoHops);
    if (concurrency > 1)
      console.log(`${label}: ${Math.round((2_000 * total) / (performance.now() - started))} messages/s`);
  }
  await queues.close(5_000);
}

async function measureThroughput(concurrency: number): Promise<void> {
  const queues = await connect();
  const sendStarted = performance.now();
  await queues.sendMany(
    Array.from({ length: messages }, (_, phase) => ({ queue: 'strategic', payload: createMessage(phase) })),
  );
  const sent = performance.now();
  const done = Promise.withResolvers<number>();
  let left = messages;
  await queues.work(
    'strategic',
    async () => {
      if (--left === 0) done.resolve(performance.now());
    },
    { concurrency },
  );
  const handled = (await done.promise) - sent;
  const rate = (ms: number): string => String(Math.round((1_000 * messages) / ms)).padStart(6);
  console.log(
    `concurrency ${String(concurrency).padStart(2)}: sendMany ${rate(sent - sendStarted)}/s   handled ${rate(handled)}/s`,
  );
  await queues.close(5_000);
}

await measureLatency();
for (const concurrency of [1, 10, 50]) await measureThroughput(concurrency);
