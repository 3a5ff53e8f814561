import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnchors, openAuditKey } from '@phaseline/audit';
import { createPool } from '@phaseline/event-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DashboardPage } from './browser.fixture.js';
import { startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

let system: DashboardSystem;
let window: DashboardPage;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-audit-'));
  await openAuditKey(join(folder, 'key.pem'));
  system = await startDashboardSystem({ env: { PHASELINE_AUDIT_KEY_FILE: join(folder, 'key.pem') } });
  window = await system.browser.openWindow();
});
afterAll(async () => {
  await system.close();
  await rm(folder, { recursive: true });
});

async function runOnDatabase<Result>(work: (pool: ReturnType<typeof createPool>) => Promise<Result>): Promise<Result> {
  const pool = createPool(system.stack.databaseUrl, { max: 1 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

it('verifies the log, shows its anchors and who did what, and names what was changed', async () => {
  const { page } = window;
  await window.open('/audit');
  await page.getByText('No anchors.').waitFor();
  await window.expectAccessible();

  const jobId = await system.runJob('writer', 'completed');
  const waiting = await system.runJob('careful', 'waiting');
  await system.client.control(waiting, 'pause', {});
  await system.client.principals.create({ id: 'builds', kind: 'service' });
  const key = await openAuditKey(join(folder, 'key.pem'));
  await expect
    .poll(() => runOnDatabase((pool) => createAnchors(pool, key, { now: () => new Date() })), { timeout: 30_000 })
    .not.toEqual([]);

  await window.open('/audit');
  await page.getByRole('region', { name: 'Anchors', exact: true }).last().getByText('not kept here').first().waitFor();
  await page.getByRole('button', { name: 'Verify now' }).click();
  await page.getByText('Verified: the log is what was written.').waitFor();
  await page.getByText(/^derived again: [1-9]\d* of [1-9]\d*$/).waitFor();
  await page.getByText(key.keyId).first().waitFor();
  await window.expectAccessible();
  await window.takePicture('audit');

  await page.getByRole('link', { name: 'Who did what' }).click();
  const actions = page.getByRole('table', { name: 'Actions' });
  await actions.getByText('principal created').waitFor();
  expect(await actions.getByText('job submitted').count()).toBe(2);
  await window.expectAccessible();
  await window.takePicture('audit-actions');
  await page.getByLabel('Action', { exact: true }).selectOption('JobPaused');
  await expect.poll(() => actions.getByRole('row').count()).toBe(2);
  await page.getByLabel('Person or key').fill('nobody');
  await page.getByText('Nobody did that').waitFor();

  await window.open('/audit');
  await page.getByLabel('Job id').fill(jobId);
  await page.getByRole('button', { name: 'Audit job' }).click();
  await page.getByRole('heading', { name: `Audit of job ${jobId}` }).waitFor();
  await page.getByText('the job is complete').waitFor();
  await page
    .getByText(/\d checks? with evidence/)
    .last()
    .click();
  await actions.getByText('job submitted').waitFor();
  await window.expectAccessible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download with files' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`job-${jobId}.tar.gz`);
  expect(await download.failure()).toBeNull();

  // Somebody changes the database.
  await runOnDatabase(async (pool) => {
    await pool.query('ALTER TABLE phaseline.events DISABLE TRIGGER USER');
    await pool.query(`UPDATE phaseline.events SET metadata = '{}' WHERE stream_id = $1 AND version = 1`, [
      `job-${jobId}`,
    ]);
  });
  await page.getByRole('button', { name: 'Verify now' }).click();
  await page.getByText('Not verified: 1 problem found.').waitFor();
  await page.getByText(`job-${jobId}, version 1`, { exact: true }).first().waitFor();
  await page.getByText('compare the copy with a backup').waitFor();
  await window.expectAccessible();

  await page.setViewportSize({ width: 420, height: 900 });
  for (const path of ['/audit', '/audit/actions', `/audit/${jobId}`]) {
    await window.open(path);
    await page.getByRole('heading', { level: 2 }).or(page.getByRole('table')).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(420);
  }
  await window.takePicture('audit-narrow');
  expect(window.problems).toEqual([]);
});
