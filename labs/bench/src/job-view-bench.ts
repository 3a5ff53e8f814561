import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JobId } from '@phaseline/contracts';
import { createPool, EventStore } from '@phaseline/event-store';
import { appendLongJob, percentile, SeededRandom } from '@phaseline/harness';
import { findFreePort, superviseServices } from '@phaseline/local-stack';
import { BenchFailed } from './bench-failed.js';

/*
 * Measures what a screen of a long job waits for, over HTTP from an orchestrator in its own process: what opening the screen requests, and
 * the state at random positions, as when a person moves the slider.
 */

export interface JobViewRow {
  readonly request: string;
  /** Size of the last response. */
  readonly kibibytes: number;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

export interface JobViewOptions {
  readonly databaseUrl: string;
  readonly events: number;
  /** Number of moves of the slider. */
  readonly moves: number;
  readonly folder: string;
}

const EVENTS_PER_PHASE = 1_000;
const ROWS = 200;
const ORCHESTRATOR = fileURLToPath(new URL('../../../apps/orchestrator/dist/main.js', import.meta.url));
/** Maximum time in milliseconds until the read models contain the job. */
const CATCH_UP_MS = 300_000;

/** Measures the requests of the screen of a job with about `events` events. */
export async function measureJobView({ databaseUrl, events, moves, folder }: JobViewOptions): Promise<JobViewRow[]> {
  const pool = createPool(databaseUrl, { max: 2, applicationName: 'bench' });
  const phases = Math.max(1, Math.round(events / EVENTS_PER_PHASE));
  const jobId = await appendLongJob(new EventStore(pool), { phases, eventsPerPhase: EVENTS_PER_PHASE });
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
  try {
    await waitUntilCaughtUp(url, jobId, phases);
    return await measureRequests(`${url}/v1/jobs/${jobId}`, moves);
  } finally {
    await supervision.stop(5_000);
  }
}

interface EventIndex {
  readonly lastPosition: number;
  readonly anchors: readonly { readonly position: number }[];
}

async function measureRequests(url: string, moves: number): Promise<JobViewRow[]> {
  const { anchors, lastPosition } = (await readJson(`${url}/events/index`)).body as EventIndex;
  const random = new SeededRandom(7);
  const pickPage = (): number => random.pick(anchors).position;
  const first = anchors[1]?.position ?? lastPosition;
  const measure = async (request: string, times: number, path: () => string): Promise<JobViewRow> => {
    const durations: number[] = [];
    let bytes = 0;
    for (let count = 0; count < times; count += 1) {
      const began = performance.now();
      bytes = (await readJson(`${url}${path()}`)).bytes;
      durations.push(performance.now() - began);
    }
    const [p50Ms, p95Ms] = [percentile(durations, 0.5), percentile(durations, 0.95)];
    return { request, kibibytes: bytes / 1_024, requests: times, p50Ms, p95Ms };
  };
  return [
    await measure('first timeline', 1, () => '/timeline'),
    await measure('timeline again', 20, () => '/timeline'),
    await measure(`index, every ${ROWS}`, 20, () => `/events/index?every=${ROWS}`),
    await measure(`${ROWS} rows at a random place`, moves, () => `/events/rows?limit=${ROWS}&after=${pickPage()}`),
    await measure(`${ROWS} whole events`, moves, () => `/events?limit=${ROWS}&after=${pickPage()}`),
    await measure('state now', 20, () => '/state'),
    await measure('state at a random position', moves, () => `/state?at=${random.between(first, lastPosition)}`),
    await measure('workflow', 20, () => '/workflow'),
  ];
}

async function readJson(url: string): Promise<{ readonly body: unknown; readonly bytes: number }> {
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
