import { SeededRandom } from '@phaseline/harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goTo, openAndCloseDialog, returnHome } from '../../labs/bench/src/dashboard/tabs/act-in-tab.js';
import { openTabs, type OpenTab, type OpenTabs } from '../../labs/bench/src/dashboard/tabs/open-tabs.js';
import { countLiveConnections } from '../../labs/bench/src/dashboard/tabs/read-server-figures.js';
import { readTabFigures, type TabFigures } from '../../labs/bench/src/dashboard/tabs/read-tab-figures.js';
import { tabKinds, type ShownJobs, type TabKind } from '../../labs/bench/src/dashboard/tabs/tab-kinds.js';
import { startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

const SEED = 5;

let system: DashboardSystem;
let jobs: ShownJobs;

beforeAll(async () => {
  system = await startDashboardSystem();
  const [small] = await Promise.all([system.runJob('writer', 'completed'), system.runJob('asker', 'waiting')]);
  jobs = { small, big: small, latest: () => small };
}, 180_000);
afterAll(() => system?.close(), 60_000);

const open = (kinds: readonly TabKind[]): Promise<OpenTabs> =>
  openTabs(system.browser.browser, system.stack.apiUrl, kinds, jobs);
const countStreams = (): Promise<number> => countLiveConnections(system.stack.apiUrl);

/** Shows screens in a random order, ends with the list of jobs, and returns what the tab holds then. */
async function navigate({ page, session }: OpenTab, times: number, random: SeededRandom): Promise<TabFigures> {
  const screens = tabKinds.map(({ home }) => home(jobs)).filter((path) => path !== '/jobs');
  for (let visit = 1; visit < times; visit += 1) await goTo(page, random.pick(screens));
  await goTo(page, '/jobs');
  await page.getByRole('table', { name: 'Jobs' }).waitFor();
  return readTabFigures(session);
}

/** By how much the tab holds more than it held before. */
async function findGrowth({ session }: OpenTab, before: TabFigures): Promise<Record<string, number>> {
  const now = await readTabFigures(session);
  const figures = ['nodes', 'listeners', 'documents'] as const;
  return Object.fromEntries(figures.map((figure) => [figure, Math.max(0, now[figure] - before[figure])]));
}

describe('tabs of the dashboard', () => {
  it('hold after 30 visits of screens no more than after 10', async () => {
    const random = new SeededRandom(SEED);
    const { tabs, context, errors } = await open(tabKinds.slice(0, 1));
    // Every screen once, so that the code of all is loaded.
    for (const { home } of tabKinds) await goTo(tabs[0]!.page, home(jobs));
    const ten = await navigate(tabs[0]!, 10, random);
    await navigate(tabs[0]!, 20, random);
    // A screen that was just left may still end an animation or a request, and holds its nodes and listeners until then.
    await expect
      .poll(() => findGrowth(tabs[0]!, ten), { timeout: 10_000 })
      .toEqual({ nodes: 0, listeners: 0, documents: 0 });
    await context.close();
    expect(errors).toEqual([]);
  }, 120_000);

  it('keep one closed dialog at most, however many were opened', async () => {
    const { tabs, context, errors } = await open(tabKinds.filter(({ name }) => name === 'dead letters'));
    const [{ page, session, kind }] = tabs as [OpenTab];
    await returnHome(page, kind.home(jobs));
    const one = await readTabFigures(session);
    for (let count = 0; count < 5; count += 1) await openAndCloseDialog(page);
    const six = await readTabFigures(session);
    expect(six.nodes).toBeLessThanOrEqual(one.nodes);
    expect(six.listeners).toBeLessThanOrEqual(one.listeners);
    await context.close();
    expect(errors).toEqual([]);
  }, 60_000);

  it('share one connection to the server, and leave none when they are closed', async () => {
    const { tabs, context, errors } = await open(tabKinds);
    expect(tabs).toHaveLength(10);
    await expect.poll(countStreams, { timeout: 10_000 }).toBe(1);
    for (const { page } of tabs.slice(1)) await page.close();
    await expect.poll(countStreams, { timeout: 10_000 }).toBe(1);
    await context.close();
    await expect.poll(countStreams, { timeout: 10_000 }).toBe(0);
    expect(errors).toEqual([]);
  }, 120_000);
});
