/**
 * How fast the queues are.
 *
 *   node libs/queue/dist/bench/main.js <postgresql://owner… | redis://…> [messages]
 *
 * Prints, in milliseconds at p50 and p95: `hop` from the call of send to the start of the handler; `two hops` the same for a
 * handler that sends on to a second queue, as a step with a tool does; first one at a time ("idle"), then 32 at once ("loaded").
 * Then messages a second for a handler that does nothing, at concurrency 1, 10 and 50, sends included. A PostgreSQL database is
 * migrated first, on Redis a prefix of its own is used. Knobs: the number of messages (default 2,000);
 * PHASELINE_BENCH_SYNC=1 has PostgreSQL wait for the disk at every step.
 */
import { randomUUID } from 'node:crypto';
import type { PhaseMessage } from '../catalogue.js';
import { createQueues } from '../create-queues.js';
import type { BackendConfig } from '../create-queues.js';
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
    onDeadLetter: async (letter) => console.error(letter.reason),
    onError: (error) => console.error(error.message),
  });
const message = (phase: number): PhaseMessage => ({ jobId: randomUUID(), phase, version: 1, epoch: 0 });
const at = (sorted: number[], share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
const line = (what: string, times: number[]): void => {
  const sorted = times.toSorted((a, b) => a - b);
  console.log(`${what.padEnd(28)} p50 ${at(sorted, 0.5).padStart(7)} ms   p95 ${at(sorted, 0.95).padStart(7)} ms`);
};

async function latency(): Promise<void> {
  const queues = await connect();
  const ends = new Map<string, { first?: number; second: PromiseWithResolvers<number> }>();
  await queues.work('tools', async ({ jobId }) => ends.get(jobId)!.second.resolve(performance.now()));
  await queues.work('tactical', async ({ jobId, phase, epoch }) => {
    ends.get(jobId)!.first = performance.now();
    await queues.send('tools', { jobId, phase, callId: 'call_1', epoch });
  });
  const hops: number[] = [];
  const twoHops: number[] = [];
  const chain = async (): Promise<void> => {
    const payload = message(1);
    const end: { first?: number; second: PromiseWithResolvers<number> } = { second: Promise.withResolvers() };
    ends.set(payload.jobId, end);
    const start = performance.now();
    await queues.send('tactical', payload);
    twoHops.push((await end.second.promise) - start);
    hops.push(end.first! - start);
  };
  for (let warm = 0; warm < 200; warm++) await chain();
  for (const [label, abreast, total] of [
    ['idle', 1, messages / 4],
    ['loaded', 32, messages],
  ] as const) {
    hops.length = twoHops.length = 0;
    let left = total;
    const started = performance.now();
    await Promise.all(
      Array.from({ length: abreast }, async () => {
        while (left-- > 0) {
          await chain();
          if (abreast === 1) await new Promise((resolve) => setTimeout(resolve, 3));
        }
      }),
    );
    line(`${label}: hop`, hops);
    line(`${label}: two hops`, twoHops);
    if (abreast > 1) console.log(`${label}: ${Math.round((2_000 * total) / (performance.now() - started))} messages/s`);
  }
  await queues.close(5_000);
}

async function throughput(concurrency: number): Promise<void> {
  const queues = await connect();
  const sendStarted = performance.now();
  await queues.sendMany(
    Array.from({ length: messages }, (_, phase) => ({ queue: 'strategic', payload: message(phase) })),
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

await latency();
for (const concurrency of [1, 10, 50]) await throughput(concurrency);
