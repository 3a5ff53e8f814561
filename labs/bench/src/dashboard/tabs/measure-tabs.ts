import { setTimeout as sleep } from 'node:timers/promises';
import { PhaselineClient } from '@phaseline/client';
import { createPool } from '@phaseline/event-store';
import { SeededRandom } from '@phaseline/harness';
import { chromium, type Browser } from 'playwright-core';
import { BenchFailed } from '../../bench-failed.js';
import { CHROMIUM } from '../chromium.js';
import { actInTab, returnHome } from './act-in-tab.js';
import { findLeaks, type Figures, type Leak, type Series } from './find-leaks.js';
import { JobLoad } from './job-load.js';
import { openTabs, type OpenTab } from './open-tabs.js';
import { prepareJobs } from './prepare-jobs.js';
import { countLiveConnections, readServerFigures, type ServerSources } from './read-server-figures.js';
import { readSharedWorkerHeap, readTabFigures, type TabFigures } from './read-tab-figures.js';
import { startTabSystem } from './start-tab-system.js';
import { tabKinds, type ShownJobs } from './tab-kinds.js';

export interface TabsOptions {
  readonly databaseUrl: string;
  readonly folder: string;
  readonly minutes: number;
  readonly tabs: number;
  readonly seed: number;
  readonly onProgress: (line: string) => void;
}

export interface TabsReport {
  readonly minutes: number;
  readonly seed: number;
  readonly jobs: number;
  readonly actions: number;
  readonly series: readonly Series[];
  readonly leaks: readonly Leak[];
  /** Live connections that the server saw at each sample, and after the browser had closed all tabs. */
  readonly liveConnections: readonly number[];
  readonly liveConnectionsAfterClose: number;
  /** Uncaught errors of the pages. */
  readonly errors: readonly string[];
  /** Actions that were not possible, such as one on what had just disappeared. */
  readonly failedActions: readonly string[];
}

const JOB_INTERVAL_MS = 10_000;
const ACTION_INTERVAL_MS = 1_200;
const SETTLE_MS = 3_000;
/** A connection that is being replaced, because other jobs are watched, may be missing or double for a moment. */
const CONNECTION_SETTLE_MS = 10_000;
const MIN_SAMPLES = 9;

/** Keeps tabs of the dashboard open and in use while jobs run, and samples what the tabs and the orchestrator hold. */
export async function measureTabs(options: TabsOptions): Promise<TabsReport> {
  const { databaseUrl, folder, onProgress } = options;
  onProgress('starting the services');
  const system = await startTabSystem({ databaseUrl, folder });
  const pool = createPool(databaseUrl, { max: 2, applicationName: 'bench' });
  let browser: Browser | undefined;
  try {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    return await runTabs(options, { ...system, pool }, browser);
  } finally {
    await browser?.close();
    await pool.end();
    await system.stop();
  }
}

async function runTabs(options: TabsOptions, server: ServerSources, browser: Browser): Promise<TabsReport> {
  const { minutes, seed, onProgress } = options;
  const random = new SeededRandom(seed);
  const client = new PhaselineClient({ baseUrl: server.url });
  onProgress('running the first jobs, so that the lists are full');
  const { small, big, waiting } = await prepareJobs(client, server.pool);
  const load = new JobLoad({ client, intervalMs: JOB_INTERVAL_MS, random, unanswered: waiting }, small);
  const jobs: ShownJobs = { small, big, latest: () => load.latest() };
  const { tabs, errors, context } = await openTabs(browser, server.url, tabKinds.slice(0, options.tabs), jobs);
  const sampler = new Sampler(tabs, server, browser, jobs);
  const until = performance.now() + minutes * 60_000;
  const intervalMs = Math.min(60_000, (minutes * 60_000) / MIN_SAMPLES);
  const failedActions: string[] = [];
  let actions = 0;
  while (performance.now() < until) {
    actions += await actUntil(performance.now() + intervalMs, tabs, { jobs, random, failedActions });
    onProgress(await sampler.sample());
  }
  await load.stop();
  await context.close();
  const liveConnectionsAfterClose = await waitForConnections(server.url, 0);
  const { series, liveConnections } = sampler;
  const figures = { series, leaks: findLeaks(series), liveConnections, liveConnectionsAfterClose };
  return { minutes, seed, jobs: load.submitted, actions, ...figures, errors, failedActions };
}

/** Uses one tab after the other until the time has come. Returns the number of actions. */
async function actUntil(
  due: number,
  tabs: readonly OpenTab[],
  parts: { readonly jobs: ShownJobs; readonly random: SeededRandom; readonly failedActions: string[] },
): Promise<number> {
  let actions = 0;
  while (performance.now() < due)
    for (const { page, kind } of tabs) {
      if (performance.now() >= due) break;
      await actInTab(page, kind, parts.jobs, parts.random).catch((error: unknown) =>
        parts.failedActions.push(`${kind.name}: ${(error as Error).message.split('\n')[0]}`),
      );
      actions += 1;
      await sleep(ACTION_INTERVAL_MS);
    }
  return actions;
}

/** Collects the samples of all tabs and of the orchestrator. */
class Sampler {
  readonly liveConnections: number[] = [];
  private readonly samples = new Map<string, Figures[]>();

  constructor(
    private readonly tabs: readonly OpenTab[],
    private readonly server: ServerSources,
    private readonly browser: Browser,
    private readonly jobs: ShownJobs,
  ) {}

  get series(): readonly Series[] {
    return [...this.samples].map(([name, samples]) => ({ name, samples }));
  }

  /** Takes a sample while each tab shows its own screen. Returns a line about it. */
  async sample(): Promise<string> {
    for (const { page, kind } of this.tabs) await returnHome(page, kind.home(this.jobs));
    await sleep(SETTLE_MS);
    for (const { kind, session } of this.tabs) this.add(`tab ${kind.name}`, await readTabFigures(session));
    const heap = await readSharedWorkerHeap(this.browser);
    if (heap === undefined) throw new BenchFailed('the tabs share no worker');
    this.add('shared worker', { heap });
    const server = await readServerFigures(this.server);
    this.add('orchestrator', server);
    this.liveConnections.push(await waitForConnections(this.server.url, 1));
    return this.describe(server);
  }

  private add(name: string, figures: Figures): void {
    this.samples.set(name, [...(this.samples.get(name) ?? []), figures]);
  }

  private describe(server: Figures): string {
    const tabs = this.series.flatMap(({ name, samples }) => {
      const { heap, nodes, listeners } = samples.at(-1) as Partial<TabFigures>;
      return nodes === undefined ? [] : [`${name.slice(4)} ${heap?.toFixed(1)} MB/${nodes}/${listeners}`];
    });
    return [
      `sample ${this.liveConnections.length}: heap/nodes/listeners of ${tabs.join(', ')}`,
      `orchestrator heap ${server['heap']!.toFixed(1)} MB, memory ${server['memory']!.toFixed(0)} MB, ${server['sockets']} sockets, ${server['connections']} connections to the database`,
      `live connections ${this.liveConnections.at(-1)}`,
    ].join('; ');
  }
}

/** Returns the number of live connections that the server sees, once it is the expected one or has had the time to become it. */
async function waitForConnections(url: string, expected: number): Promise<number> {
  const until = performance.now() + CONNECTION_SETTLE_MS;
  for (;;) {
    const count = await countLiveConnections(url);
    if (count === expected || performance.now() > until) return count;
    await sleep(250);
  }
}
