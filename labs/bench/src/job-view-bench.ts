import { percentile, SeededRandom } from '@phaseline/harness';
import { readJson, startLongJobServer, type LongJobServerOptions } from './long-job-server.js';

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

export interface JobViewOptions extends LongJobServerOptions {
  /** Number of moves of the slider. */
  readonly moves: number;
}

const ROWS = 200;

/** Measures the requests of the screen of a job with about `events` events. */
export async function measureJobView({ moves, ...options }: JobViewOptions): Promise<JobViewRow[]> {
  const server = await startLongJobServer(options);
  try {
    return await measureRequests(`${server.url}/v1/jobs/${server.jobId}`, moves);
  } finally {
    await server.stop();
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
