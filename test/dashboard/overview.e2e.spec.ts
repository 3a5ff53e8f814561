import { formatUsd } from '@phaseline/client';
import { DeadLetters } from '@phaseline/cluster';
import { createPool } from '@phaseline/event-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardPage } from './browser.fixture.js';
import { startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

/** Limit of the first view in bytes, compressed and with headers, and in requests. */
const MAX_FIRST_VIEW_BYTES = 300_000;
const MAX_FIRST_VIEW_REQUESTS = 28;

let system: DashboardSystem;
let window: DashboardPage;

beforeAll(async () => {
  system = await startDashboardSystem();
  await Promise.all([
    system.runJob('writer', 'completed'),
    system.runJob('asker', 'waiting'),
    system.runJob('careful', 'waiting'),
  ]);
  window = await system.browser.openWindow();
}, 180_000);
afterAll(() => system?.close(), 60_000);

/** Stores a dead letter, as a process does when it gives up. */
async function addDeadLetter(): Promise<void> {
  const pool = createPool(system.stack.databaseUrl, { max: 1 });
  const payload = { text: '{"agent": "wri' };
  await new DeadLetters(pool)
    .add({
      queue: 'jobs',
      messageId: 'broken',
      payload,
      reason: 'the payload is not JSON',
      attempts: 1,
      enqueuedAt: undefined,
    })
    .finally(() => pool.end());
}

const readFigure = (label: string): Promise<string> =>
  window.page.locator('.figure', { hasText: label }).locator('.figure-value').innerText();

describe('the overview', () => {
  it('is complete with few bytes and requests', async () => {
    const { page } = window;
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    let bytes = 0;
    let requests = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
      requests += 1;
    });
    await window.open('/');
    await page.getByRole('table').first().waitFor();
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
    await page.locator('.badge', { hasText: 'Live' }).waitFor();
    expect(bytes).toBeLessThan(MAX_FIRST_VIEW_BYTES);
    expect(requests).toBeLessThan(MAX_FIRST_VIEW_REQUESTS);
    await session.detach();
  });

  it('loads the code of its screen while the server is asked who the caller is, and then shows it at once', async () => {
    const { page } = window;
    // The answer waits for the code, so that only a page that does not wait for the answer continues.
    await page.route('**/v1/whoami', async (route) => {
      await page.waitForResponse(/overview-screen.*\.js$/);
      await route.continue();
    });
    // Changes of the page, of which one could be that a screen is being loaded. The pages evaluate no code, so it is added by the browser.
    await page.addInitScript(
      `new MutationObserver(() => {
        if (document.querySelector('main > .page[role=status]')) globalThis.hasWaited = true;
      }).observe(document, { childList: true, subtree: true });`,
    );
    await window.open('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.evaluate('globalThis.hasWaited')).toBeUndefined();
    await page.unroute('**/v1/whoami');
  });

  it('shows what the API says', async () => {
    const { page } = window;
    await expect.poll(() => readFigure('Waits for a person')).toBe('2');
    const { total } = await system.client.costs({ by: 'tenant', from: 'today', to: 'today' });
    await expect.poll(() => readFigure('Money today')).toBe(formatUsd(total.costMicroUsd));
    const { queues } = await system.client.queues();
    for (const { queue } of queues)
      await page.getByRole('region', { name: 'Queues' }).getByRole('cell', { name: queue, exact: true }).waitFor();
    const processes = await system.client.processes();
    const services = page.getByRole('region', { name: 'Processes' }).getByRole('row');
    await expect.poll(() => services.count()).toBe(processes.length + 1);
    await window.expectAccessible();
  });

  it('changes when something happens, without being loaded again', async () => {
    for await (const { kind, jobId, callId, question } of system.client.inbox())
      if (kind === 'question')
        await system.client.control(jobId, 'answer', {
          callId: callId!,
          questionHash: question!.questionHash,
          answer: question!.options![0]!,
        });
    await expect.poll(() => readFigure('Waits for a person')).toBe('1');
  });

  it('shows an alert with its cause and its command', async () => {
    const { page } = window;
    await addDeadLetter();
    const alert = page
      .getByRole('region', { name: /^Alerts/ })
      .getByRole('listitem')
      .filter({ hasText: 'dead letter' });
    await alert.first().waitFor({ timeout: 60_000 });
    expect(await alert.first().innerText()).toContain('phaseline ');
    await expect.poll(() => readFigure('Dead letters')).toBe('1');
    await window.takePicture('overview');
    await window.expectAccessible();
  });

  it('caused no error and no violation of its policy', () => {
    expect(window.problems).toEqual([]);
  });
});
