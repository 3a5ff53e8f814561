import { readFile } from 'node:fs/promises';
import { formatUsd } from '@phaseline/client';
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

  it('draws the lanes once, not with every move', async () => {
    const { page } = window;
    const slider = page.getByRole('slider', { name: 'Event of the job' });
    await slider.focus();
    // To draw a shape of the lanes, the page parses the times of its begin and its end.
    await page.evaluate(
      '{ const { parse } = Date; Date.parse = (text) => { globalThis.parsedTimes = (globalThis.parsedTimes ?? 0) + 1; return parse(text); }; }',
    );
    await page.keyboard.press('Home');
    await expect.poll(readPlace).toMatch(/^Event 1 of .* · JobSubmitted$/);
    expect(await page.evaluate<number>('globalThis.parsedTimes')).toBeLessThan(
      await page.locator('.lanes rect').count(),
    );
    await page.getByRole('button', { name: 'Go to the latest event' }).click();
    await expect.poll(readPlace).toMatch(/ · JobCompleted$/);
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

  it('shows the request of any model call, layer by layer, as it was sent', async () => {
    const { page } = window;
    await window.open(`/jobs/${jobId}?panel=prompt`);
    const panel = page.getByRole('tabpanel');
    await panel.locator('.badge', { hasText: /^✓exactly what was sent/ }).waitFor();
    const phases = await system.client.phases(jobId);
    const { phase } = phases.at(-1)!;
    const calls = await system.client.modelCalls(jobId, phase);
    const choice = panel.getByLabel(`Model call of phase ${phase}`);
    await expect.poll(() => choice.getByRole('option').count()).toBe(calls.length);
    await panel.getByRole('button', { name: 'Previous' }).click();
    const call = calls.at(-2)!;
    await expect.poll(() => page.url()).toContain(`at=${call.position}`);
    await panel.getByText(`${call.inputTokens.toLocaleString('en-US')} tokens`, { exact: true }).waitFor();
    const { layers, request } = await system.client.prompt(jobId, phase, call.step);
    expect(layers.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(call.inputTokens);
    for (const { layer, tokens } of layers)
      await panel
        .locator('summary', { hasText: `${tokens.toLocaleString('en-US')} tokens` })
        .first()
        .waitFor({ timeout: 5_000 })
        .catch(() => expect.fail(layer));
    await panel.locator('summary', { hasText: 'System prompt' }).click();
    expect(await panel.getByRole('region', { name: 'Text of message 1' }).textContent()).toBe(
      request.messages[0]!.content,
    );
    await window.takePicture('job-prompt');
    await panel.locator('summary', { hasText: 'Conversation' }).click();
    await panel.locator('summary', { hasText: 'Tools' }).click();
    await expect.poll(() => panel.locator('summary', { hasText: 'todo_complete' }).count()).toBe(1);
    await window.expectAccessible();
  });

  it('shows the files at any event, what changed in them, and their content', async () => {
    const { page } = window;
    await window.open(`/jobs/${jobId}?panel=files`);
    const panel = page.getByRole('tabpanel');
    const files = await system.client.files(jobId);
    await panel.getByText(new RegExp(`^${files.length} files`)).waitFor();
    await panel.getByLabel('Show what changed since').selectOption('the start of the job');
    const plan = panel.getByRole('row', { name: /^main_plan\.md/ });
    await plan.getByText('new').waitFor();
    await window.takePicture('job-files');
    await window.expectAccessible();
    await plan.getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: 'main_plan.md' });
    const text = await system.client.readText(jobId, 'main_plan.md');
    const lines = text.trimEnd().split('\n');
    await expect.poll(() => dialog.locator('.diff-added').count()).toBe(lines.length);
    await dialog.getByRole('tab', { name: 'Content' }).click();
    expect(await dialog.getByRole('region', { name: 'Content of main_plan.md' }).textContent()).toBe(text);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('link', { name: /^Download/ }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe(text);
    await window.expectAccessible();
    await dialog.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('slider', { name: 'Event of the job' }).focus();
    await page.keyboard.press('Home');
    await panel.getByText(/^\d files?, 0 changes/).waitFor();
    expect(await panel.getByRole('row', { name: /^main_plan\.md/ }).count()).toBe(0);
  });

  it('shows the money of each phase, which adds up, and the whole event', async () => {
    const { page } = window;
    await window.open(`/jobs/${jobId}?panel=money`);
    const panel = page.getByRole('tabpanel');
    const { usage } = await system.client.get(jobId);
    await panel.getByText(`${formatUsd(usage.costMicroUsd)}, no limit`).waitFor();
    const phases = await system.client.phases(jobId);
    const rows = panel.getByRole('region', { name: 'Money by phase' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(phases.length + 1);
    for (const { name, usage: used } of phases)
      expect(await rows.filter({ hasText: name }).first().textContent()).toContain(formatUsd(used.costMicroUsd));
    await window.expectAccessible();
    await page.getByRole('tab', { name: 'Event' }).click();
    const last = (await system.client.eventPage(jobId, { limit: 1_000 })).items.at(-1)!;
    await panel.getByText(last.hash, { exact: true }).waitFor();
    expect(
      JSON.parse((await panel.getByRole('region', { name: `Data of ${last.type}`, exact: true }).textContent())!),
    ).toEqual(last.data);
    await window.expectAccessible();
  });

  it('caused no error and no violation of its policy', () => {
    expect(window.problems).toEqual([]);
  });
});
