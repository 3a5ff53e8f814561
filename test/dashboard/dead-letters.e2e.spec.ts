import { randomUUID } from 'node:crypto';
import { DeadLetters } from '@phaseline/cluster';
import { createPool } from '@phaseline/event-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

const JOB = '019a8f00-0000-7000-8000-00000000000a';
let system: DashboardSystem;

beforeAll(async () => {
  system = await startDashboardSystem();
});
afterAll(() => system.close());

/** Stores dead letters, as processes do when they give up. Returns their ids in order. */
async function addDeadLetters(): Promise<string[]> {
  const pool = createPool(system.stack.databaseUrl, { max: 1 });
  const deadLetters = new DeadLetters(pool);
  const add = async (messageId: string, payload: { json: never } | { text: string }, reason: string, queue = 'jobs') =>
    String(
      await deadLetters.add({
        queue,
        messageId,
        payload,
        reason,
        attempts: 20,
        enqueuedAt: messageId.at(-1) === '0' ? '2030-01-01T00:00:00.000Z' : undefined,
      }),
    );
  const json = (value: unknown): { json: never } => ({ json: value as never });
  try {
    const ids = [
      await add('again-0', json({ agent: 'writer', labels: { run: 'old' } }), 'the connection was closed'),
      await add(
        'again',
        json({ agent: 'writer', labels: { run: randomUUID() } }),
        'the database was away for longer than the time limit of the message',
      ),
      await add('broken', { text: '{"agent": "wri' }, 'the payload is not JSON'),
      await add(
        'call-7',
        json({ jobId: JOB, phase: 2, callId: 'call-7' }),
        'three attempts failed: exit code 137',
        'tools',
      ),
    ];
    for (let number = 1; number <= 150; number += 1)
      await add(
        `many-${number}x`,
        json({ jobId: JOB, number }),
        `attempt limit reached for message ${number}`,
        'timers',
      );
    return ids;
  } finally {
    await pool.end();
  }
}

it('shows, retries and discards messages that no process could handle', async () => {
  const window = await system.browser.openWindow();
  const { page } = window;
  await window.open('/dead-letters');
  await page.getByText('No dead letters. Every message was handled, or is still being tried.').waitFor();
  await window.expectAccessible();

  const [, again, broken, call] = await addDeadLetters();
  await window.open('/dead-letters');
  const table = page.getByRole('table', { name: 'Dead letters' });
  await table.getByRole('row').nth(3).waitFor();
  expect(await table.getByRole('row').count()).toBeLessThan(60);
  // The list is read page by page: the oldest of 154 messages is on the second one.
  await table.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
  await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('155');

  await page.getByLabel('Queue').selectOption('jobs');
  await expect.poll(() => table.getByRole('row').count()).toBe(4);
  await window.expectAccessible();
  await page.getByRole('link', { name: 'again', exact: true }).click();
  const detail = page.getByRole('region', { name: `Dead letter ${again}` });
  await detail.getByText('the database was away').waitFor();
  expect(await detail.getByRole('region', { name: 'Payload' }).textContent()).toContain('"agent": "writer"');
  await window.expectAccessible();
  await window.takePicture('dead-letters');

  // One is sent again, and the other, which is not JSON, is refused and stays.
  await page.getByLabel('Select again', { exact: true }).check();
  await page.getByLabel('Select broken').check();
  await page.getByRole('button', { name: 'Retry 2 messages' }).click();
  await page.getByText('1 message sent again, 1 refused.').waitFor();
  await page.getByText(new RegExp(`^${broken}: `)).waitFor();
  await detail.getByText('✓sent again').waitFor();
  await expect.poll(async () => (await system.client.listPage()).items.length).toBe(1);

  await page.getByLabel('Select broken').check();
  await page.getByRole('button', { name: 'Discard 1 message…' }).click();
  await window.expectAccessible();
  await page.getByRole('dialog').getByLabel('Reason').fill('its sender is gone');
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await page.getByText('1 message discarded.').waitFor();
  await expect.poll(() => table.getByRole('row').count()).toBe(2);
  expect((await system.client.deadLetters.get(broken!)).discardReason).toBe('its sender is gone');

  // A link leads to one message, and from there to its job.
  await window.open(`/dead-letters/${call}`);
  await page
    .getByRole('region', { name: `Dead letter ${call}` })
    .getByRole('link', { name: JOB })
    .click();
  expect(new URL(page.url()).pathname).toBe(`/jobs/${JOB}`);

  await page.setViewportSize({ width: 420, height: 900 });
  await window.open('/dead-letters');
  await table.getByRole('row').nth(3).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420);
  await window.takePicture('dead-letters-narrow');
  expect(window.problems).toEqual([]);
});
