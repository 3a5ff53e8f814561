import { PhaselineClient } from '@phaseline/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardPage } from './browser.fixture.js';
import { startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

let system: DashboardSystem;
let window: DashboardPage;

const buildGuard = (text: string) => ({
  name: 'reviewed-results',
  owner: 'legal',
  minLabelled: 0,
  description: 'A person reads each result before it is written.',
  when: { tool: 'write_file', args: { path: 'output/result.md' } },
  then: { ask: text },
});

beforeAll(async () => {
  system = await startDashboardSystem();
  const { client } = system;
  await client.principals.create({ id: 'ada', kind: 'person' });
  await client.principals.grant('ada', { role: 'author', tenant: 'default' });
  const { key } = await client.keys.create({ principal: 'ada' });
  const author = new PhaselineClient({ baseUrl: system.stack.apiUrl, apiKey: key });
  await author.guards.add({ scope: 'tenant', tenant: 'default', guard: buildGuard('Was {args.path} read?') });
  window = await system.browser.openWindow();
}, 180_000);
afterAll(() => system?.close(), 60_000);

describe('the guards', () => {
  it('are listed, and have a page with their versions', async () => {
    const { page } = window;
    await window.open('/guards');
    await page.getByRole('link', { name: 'reviewed-results' }).waitFor();
    await window.expectAccessible();
    await page.getByRole('link', { name: 'reviewed-results' }).click();
    await page.getByRole('heading', { name: 'reviewed-results' }).waitFor();
    await page.getByText('What version 1 decides').click();
    await page.getByText('Was {args.path} read?', { exact: false }).waitFor();
  });

  it('are promoted by a second person, stage by stage, with a reason', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Backtest' }).click();
    const backtest = page.getByRole('dialog', { name: 'Backtest version 1 of reviewed-results' });
    await backtest.getByRole('button', { name: 'Backtest' }).click();
    await backtest.waitFor({ state: 'detached' });
    for (const [stage, reason] of [
      ['shadow', 'To see how often it asks'],
      ['production', 'Legal asks for it'],
    ] as const) {
      await page.getByRole('button', { name: 'Promote' }).click();
      const dialog = page.getByRole('dialog', { name: `Promote version 1 of reviewed-results to ${stage}` });
      await dialog.getByLabel('Figure that shows the cause').fill('5 of 6 approvals refused');
      await dialog.getByLabel('Reason', { exact: false }).fill(reason);
      await window.expectAccessible();
      await dialog.getByRole('button', { name: 'Promote' }).click();
      await page.locator('.page-head .badge', { hasText: stage }).waitFor();
      await page.getByRole('cell', { name: reason }).waitFor();
    }
  });

  it('show what they decided, and are overridden in one job', async () => {
    const { page } = window;
    const jobId = await system.runJob('writer', 'waiting');
    await page.getByRole('table').getByText('ask', { exact: false }).first().waitFor({ timeout: 30_000 });
    await window.takePicture('guard');
    await page.getByRole('button', { name: 'Override in a job' }).click();
    const dialog = page.getByRole('dialog', { name: 'Override reviewed-results in a job' });
    await dialog.getByLabel('Id of the job').fill(jobId);
    await dialog.getByLabel('Reason', { exact: false }).fill('Read by hand');
    await window.expectAccessible();
    await dialog.getByRole('button', { name: 'Override' }).click();
    await dialog.waitFor({ state: 'detached' });
    const types = (await system.client.eventPage(jobId, { limit: 1_000 })).items.map(({ type }) => type);
    expect(types).toContain('JobGuardOverridden');
  });

  it('are taken back with a reason', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Roll back' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll back reviewed-results' });
    await dialog.getByLabel('Reason', { exact: false }).fill('Too many questions');
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('cell', { name: 'Too many questions' }).waitFor();
    await window.expectAccessible();
  });

  it('caused no error and no violation of its policy', () => {
    expect(window.problems).toEqual([]);
  });
});
