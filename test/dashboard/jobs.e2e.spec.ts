import type { JobId } from '@phaseline/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardPage } from './browser.fixture.js';
import { startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

let system: DashboardSystem;
let window: DashboardPage;
let waiting: readonly JobId[];

beforeAll(async () => {
  system = await startDashboardSystem();
  const run = (agent: string, until: 'completed' | 'waiting', team: string) => system.runJob(agent, until, { team });
  const jobs = await Promise.all([
    ...[run('asker', 'waiting', 'red'), run('asker', 'waiting', 'blue'), run('careful', 'waiting', 'red')],
    run('writer', 'completed', 'red'),
  ]);
  waiting = jobs.slice(0, 3);
  window = await system.browser.openWindow();
}, 180_000);
afterAll(() => system?.close(), 60_000);

const countRows = (): Promise<number> => window.page.getByRole('table', { name: 'Jobs' }).getByRole('row').count();

describe('the list of jobs', () => {
  it('has every job, and filters that are in the address', async () => {
    const { page } = window;
    await window.open('/jobs');
    await expect.poll(countRows).toBe(5);
    await window.takePicture('jobs');
    await window.expectAccessible();
    await page.getByLabel('Agent', { exact: true }).selectOption('asker');
    await expect.poll(countRows).toBe(3);
    await page.getByLabel('Label', { exact: true }).fill('team=red');
    await expect.poll(countRows).toBe(2);
    expect(new URL(page.url()).search).toBe('?agent=asker&label=team%3Dred');
    await page.reload();
    await expect.poll(countRows).toBe(2);
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(countRows).toBe(5);
  });

  it('finds what waits for a person, and a text', async () => {
    const { page } = window;
    await page.getByLabel('Waits for').selectOption('person');
    await expect.poll(countRows).toBe(4);
    await page.getByLabel('Longer than, min').fill('600');
    await page.getByText('No job matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel('Search').fill('careful');
    await expect.poll(countRows).toBe(2);
    await page.getByRole('button', { name: 'Clear' }).click();
  });

  it('pauses many jobs at once, and says which were refused', async () => {
    const { page } = window;
    await expect.poll(countRows).toBe(5);
    const boxes = page.getByRole('checkbox');
    await boxes.first().check();
    await boxes.last().click({ modifiers: ['Shift'] });
    await page.getByText('4 jobs chosen').waitFor();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause 4 jobs' });
    await dialog.getByLabel('Reason', { exact: false }).fill('Maintenance');
    await window.expectAccessible();
    await dialog.getByRole('button', { name: 'Pause 4 jobs' }).click();
    await dialog.getByText('3 jobs done, 1 refused').waitFor();
    await window.expectAccessible();
    await dialog.getByRole('button', { name: 'Close' }).click();
    for (const jobId of waiting) expect((await system.client.get(jobId)).status).toBe('paused');
    await expect.poll(() => page.locator('.badge', { hasText: 'paused' }).count()).toBe(3);
  });

  it('cancels all that match, also those that are not loaded', async () => {
    const { page } = window;
    await page.getByLabel('Status', { exact: true }).selectOption('paused');
    await expect.poll(countRows).toBe(4);
    // With other filters nothing is chosen any more.
    await expect.poll(() => page.getByRole('region', { name: 'Chosen jobs' }).count()).toBe(0);
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Choose all that match' }).click();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel 3 jobs' });
    await dialog.getByRole('button', { name: 'Cancel 3 jobs' }).click();
    await dialog.getByText('3 jobs done, 0 refused').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    for (const jobId of waiting)
      await expect.poll(async () => (await system.client.get(jobId)).status).toBe('cancelled');
  });

  it('caused no error and no violation of its policy', () => {
    expect(window.problems).toEqual([]);
  });
});
