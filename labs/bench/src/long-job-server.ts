import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { JobId } from '@phaseline/contracts';
import { createPool, EventStore } from '@phaseline/event-store';
import { appendLongJob } from '@phaseline/harness';
import { findFreePort, superviseServices } from '@phaseline/local-stack';
import { BenchFailed } from './bench-failed.js';

const EVENTS_PER_PHASE = 1_000;
const ORCHESTRATOR = fileURLToPath(new URL('../../../dist/services/orchestrator.js', import.meta.url));
/** Maximum time in milliseconds until the read models contain the job. */
const CATCH_UP_MS = 300_000;

/** An orchestrator in its own process, with one long job that has ended. */
export interface LongJobServer {
  readonly url: string;
  readonly jobId: JobId;
  stop(): Promise<void>;
}

export interface LongJobServerOptions {
  readonly databaseUrl: string;
  readonly events: number;
  /** Number of phases of the job; by default, one per 1,000 events. */
  readonly phases?: number | undefined;
  /** For logs. */
  readonly folder: string;
}

/** Generates a job with about `events` events and starts an orchestrator that has caught up with it. */
export async function startLongJobServer({
  databaseUrl,
  events,
  phases = Math.max(1, Math.round(events / EVENTS_PER_PHASE)),
  folder,
}: LongJobServerOptions): Promise<LongJobServer> {
  const pool = createPool(databaseUrl, { max: 2, applicationName: 'bench' });
  const jobId = await appendLongJob(new EventStore(pool), { phases, eventsPerPhase: Math.round(events / phases) });
  await pool.end();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...{ PATH: process.env['PATH'], DATABASE_URL: databaseUrl, PHASELINE_QUEUE_BACKEND: 'postgres' },
    ...{ PORT: String(port), LOG_LEVEL: 'warn' },
  };
  const service = { name: 'orchestrator', command: process.execPath, args: [ORCHESTRATOR], env };
  const supervision = await superviseServices([{ ...service, healthUrl: `${url}/ready` }], {
    logDirectory: join(folder, 'logs'),
  });
  const stop = (): Promise<void> => supervision.stop(5_000);
  try {
    await waitUntilCaughtUp(url, jobId, phases);
    return { url, jobId, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Requests a document of the API. Throws BenchFailed for an error. */
export async function readJson(url: string): Promise<{ readonly body: unknown; readonly bytes: number }> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new BenchFailed(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
  return { body: JSON.parse(text) as unknown, bytes: text.length };
}

/** Waits until the read models contain the job, because catching up uses the CPU. */
async function waitUntilCaughtUp(url: string, jobId: JobId, phases: number): Promise<void> {
  const until = performance.now() + CATCH_UP_MS;
  while (performance.now() < until) {
    const { body } = await readJson(`${url}/v1/phases?jobId=${jobId}`);
    const { items } = body as { readonly items: readonly { readonly endedAt?: string }[] };
    if (items.length === phases && items.every(({ endedAt }) => endedAt !== undefined)) return;
    await sleep(500);
  }
  throw new BenchFailed('the read models did not catch up with the job');
}
