import { percentile, SeededRandom } from '@phaseline/harness';
import { chromium, type Browser, type Page } from 'playwright-core';
import { BenchFailed } from '../bench-failed.js';
import { startLongJobServer, type LongJobServerOptions } from '../long-job-server.js';
import { CHROMIUM } from './chromium.js';

/*
 * Measures what a person waits for in the dashboard: its first view with an empty cache, the screen of a long job, and the state at the
 * slider. The browser, the orchestrator and PostgreSQL share the machine.
 */

export interface DashboardFigures {
  /** Bytes of all responses of the first view, compressed and with headers. */
  readonly firstViewKilobytes: number;
  readonly firstViewRequests: number;
  /** From the request of the page until something is painted, and until all that the screen shows first is there. */
  readonly firstPaintMs: number;
  readonly firstViewMs: number;
  /** From the request of the page of the job, with a filled cache, until its rows, its timeline and its state are shown. */
  readonly openJobMs: readonly number[];
  /** From the press of the mouse button until the state of the event is shown. */
  readonly slider: { readonly moves: number; readonly p50Ms: number; readonly p95Ms: number };
  readonly domNodes: number;
  readonly heapMegabytes: number;
}

export interface DashboardBenchOptions extends LongJobServerOptions {
  /** Number of moves of the slider. */
  readonly moves: number;
}

export async function measureDashboard({ moves, ...options }: DashboardBenchOptions): Promise<DashboardFigures> {
  const server = await startLongJobServer(options);
  let browser: Browser | undefined;
  try {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    // The first page of a browser that was just started waits for its processes.
    await openPage(browser).then((page) => page.context().close());
    const first = await measureFirstView(await openPage(browser), server.url);
    const page = await openPage(browser);
    const job = `${server.url}/jobs/${server.jobId}`;
    // Once to fill the cache of the browser.
    await openJob(page, job);
    const openJobMs: number[] = [];
    for (let count = 0; count < 5; count += 1) openJobMs.push(await openJob(page, job));
    const slider = await measureSlider(page, moves);
    return { ...first, openJobMs, slider, ...(await readSizes(page)) };
  } finally {
    await browser?.close();
    await server.stop();
  }
}

async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto('about:blank');
  return page;
}

async function measureFirstView(
  page: Page,
  url: string,
): Promise<Pick<DashboardFigures, 'firstViewKilobytes' | 'firstViewRequests' | 'firstPaintMs' | 'firstViewMs'>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  let requests = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    requests += 1;
  });
  const firstViewMs = await measureLoad(page, url, FIRST_VIEW_IS_COMPLETE);
  const firstPaintMs = await page.evaluate<number>(
    "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1",
  );
  if (firstPaintMs < 0) throw new BenchFailed('the browser painted nothing');
  return { firstViewKilobytes: bytes / 1_000, firstViewRequests: requests, firstPaintMs, firstViewMs };
}

/** Opens the screen of a job. Returns the milliseconds until everything that it shows first is there. */
async function openJob(page: Page, url: string): Promise<number> {
  await page.goto('about:blank');
  return measureLoad(page, url, JOB_IS_OPEN);
}

const FIRST_VIEW_IS_COMPLETE = `[...document.querySelectorAll('h2')].some((heading) => heading.textContent === 'Queues') &&
  !document.body.textContent.includes('Loading…') &&
  [...document.querySelectorAll('.chart-place')].every((place) => place.querySelector('canvas') !== null)`;

const JOB_IS_OPEN = `document.querySelector('.job-side[data-position]') !== null &&
  document.querySelector('[role=slider]') !== null &&
  [...document.querySelectorAll('.event-row')].some((row) => row.textContent.includes('JobCompleted'))`;

/**
 * Returns the milliseconds from the request of a page until a condition holds in it. The page looks with every frame: Playwright would
 * look at growing intervals of up to 500 ms.
 */
async function measureLoad(page: Page, url: string, condition: string): Promise<number> {
  const began = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  const holds = await page.evaluate<boolean>(`new Promise((resolve) => {
    const check = () => {
      if (${condition}) resolve(true);
      else if (performance.now() > 60_000) resolve(false);
      else requestAnimationFrame(check);
    };
    check();
  })`);
  if (!holds) throw new BenchFailed('a page was not complete within 60 s');
  return performance.now() - began;
}

/** Runs in the page: resolves with the milliseconds from the next press of the mouse until another state is shown. */
const WAIT_FOR_STATE = `new Promise((resolve) => {
  const side = document.querySelector('.job-side');
  const before = side.dataset.position;
  let pressed;
  document.addEventListener('pointerdown', () => { pressed = performance.now(); }, { capture: true, once: true });
  const check = () => {
    const now = side.dataset.position;
    if (pressed !== undefined && now !== undefined && now !== before) resolve(performance.now() - pressed);
    else if (pressed !== undefined && performance.now() - pressed > 30_000) resolve(-1);
    else requestAnimationFrame(check);
  };
  check();
})`;

async function measureSlider(page: Page, moves: number): Promise<DashboardFigures['slider']> {
  const random = new SeededRandom(11);
  const box = await page.getByRole('slider').boundingBox();
  if (!box) throw new BenchFailed('the slider is not visible');
  const durations: number[] = [];
  for (let move = 0; move < moves; move += 1) {
    // Without a pause, the next press could come before the page listens for it.
    const shown = page.evaluate<number>(WAIT_FOR_STATE);
    await page.waitForTimeout(50);
    await page.mouse.click(box.x + (random.between(20, 980) / 1_000) * box.width, box.y + 10);
    const ms = await shown;
    if (ms < 0) throw new BenchFailed('a move of the slider led to no other state within 30 s');
    durations.push(ms);
  }
  return { moves, p50Ms: percentile(durations, 0.5), p95Ms: percentile(durations, 0.95) };
}

async function readSizes(page: Page): Promise<Pick<DashboardFigures, 'domNodes' | 'heapMegabytes'>> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const domNodes = await page.evaluate<number>("document.querySelectorAll('*').length");
  return { domNodes, heapMegabytes: usedSize / 1_000_000 };
}
