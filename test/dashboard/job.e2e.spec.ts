import type { JobId } from '@phaseline/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardPage } from './browser.fixture.js';
import { startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

let system: DashboardSystem;
let window: DashboardPage;
let jobId: JobId;

beforeAll(async () => {
  system = await startDashboardSystem();
  jobId = await system.runJob('writer', 'completed');
  window = await system.browser.openWindow();
}, 180_000);
afterAll(() => system?.close(), 60_000);

/** The text below the slider, such as "Event 12 of 80". */
const readPlace = async (): Promise<string> =>
  (await window.page.getByText(/^Event [\d,]+ of [\d,]+/).textContent()) ?? '';

async function countEvents(): Promise<number> {
  let count = 0;
  for await (const _ of system.client.events(jobId)) count += 1;
  return count;
}

describe('the screen of a job', () => {
  it('shows its phases, its events and its state at the end', async () => {
    const { page, open } = window;
    await open(`/jobs/${jobId}`);
    const events = await countEvents();
    await expect.poll(readPlace).toContain(`Event ${events} of ${events}`);
    expect(await page.getByRole('slider', { name: 'Event of the job' }).getAttribute('aria-valuenow')).toBe(
      String(events),
    );
    expect(await page.locator('.lane-strategic, .lane-tactical').count()).toBe(
      (await system.client.phases(jobId)).length,
    );
    await page.getByRole('row', { name: /JobCompleted/ }).waitFor();
    await page.getByText('completed', { exact: true }).first().waitFor();
    await page.getByRole('img', { name: /^Workflow/ }).waitFor();
    await window.takePicture('job');
    await window.expectAccessible();
  });

  it('moves to any event with the keyboard, and shows the state then', async () => {
    const { page } = window;
    const slider = page.getByRole('slider', { name: 'Event of the job' });
    await slider.focus();
    await page.keyboard.press('Home');
    await expect.poll(readPlace).toMatch(/^Event 1 of .* · JobSubmitted$/);
    await page.keyboard.press('ArrowRight');
    await expect.poll(readPlace).toMatch(/^Event 2 of/);
    const second = (await system.client.eventPage(jobId, { limit: 2 })).items[1]!;
    await expect.poll(() => page.url()).toContain(`at=${second.position}`);
    await page.reload();
    await expect.poll(readPlace).toMatch(/^Event 2 of/);
    await page.getByRole('button', { name: 'Go to the latest event' }).click();
    await expect.poll(() => page.url()).not.toContain('at=');
  });

  it('moves to the event that a person selects in the list or on the time axis', async () => {
    const { page } = window;
    await page.getByRole('row', { name: /JobCompleted/ }).click();
    await page.getByRole('slider', { name: 'Event of the job' }).click({ position: { x: 2, y: 10 } });
    await expect.poll(readPlace).toMatch(/^Event [1-9] of/);
    const list = page.getByRole('table', { name: 'Events' });
    await list
      .getByRole('row', { name: /TodoCompleted/ })
      .first()
      .click();
    await expect.poll(readPlace).toMatch(/· TodoCompleted$/);
  });

  it('forks with an edited answer, and compares both jobs', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Fork here' }).click();
    await page.getByLabel('Edit the next answer of the model').check();
    await page.getByLabel('Text of the answer').fill('I think again.');
    await page.getByLabel('Calls of the answer').fill('[{');
    await page.getByText('The calls are not JSON').waitFor();
    await window.expectAccessible();
    await page.getByLabel('Calls of the answer').fill('[]');
    await page.getByRole('button', { name: 'Fork and compare' }).click();
    await page.getByRole('heading', { name: /^Compare/ }).waitFor();
    await page.getByText('First difference', { exact: false }).first().waitFor();
    await page.getByText('I think again.', { exact: false }).first().waitFor();
    await window.takePicture('compare');
    await window.expectAccessible();
    const [fork] = (await system.client.listPage({ limit: 1 })).items;
    expect((await system.client.compare(jobId, fork!.jobId)).right.fork?.parent.jobId).toBe(jobId);
  });

  it('caused no error and no violation of its policy', () => {
    expect(window.problems).toEqual([]);
  });
});
