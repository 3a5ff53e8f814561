import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JobId } from '@phaseline/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../../apps/cli/src/run-cli.js';
import { createFakeHost } from '../../../apps/cli/src/testing/fake-streams.js';
import type { DashboardPage } from '../browser.fixture.js';
import { startDashboardSystem, type DashboardSystem } from '../dashboard.fixture.js';
import { expectStatus, goTo, readEvents } from './story.fixture.js';

let system: DashboardSystem;
let window: DashboardPage;
let folder: string;
let jobId: JobId;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-proof-'));
  system = await startDashboardSystem({
    env: { PHASELINE_API_KEYS: 'ada=0123456789abcdef0123456789', PHASELINE_AUDIT_ANCHOR_INTERVAL_MS: '1000' },
  });
  jobId = await system.runJob('writer', 'completed');
  window = await system.browser.openWindow();
}, 180_000);
afterAll(async () => {
  await system?.close();
  await rm(folder, { recursive: true });
}, 60_000);

describe('from the dashboard alone, a person', () => {
  it('proves what happened in a job, and takes the proof along', async () => {
    const { page } = window;
    await window.open('/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByText('phaseline login', { exact: true }).waitFor();
    await page.goto((await system.client.createLoginLink()).url);
    const signIn = page.getByRole('button', { name: /sign in/i });
    await signIn
      .or(page.getByRole('heading', { level: 1, name: 'Overview' }))
      .first()
      .waitFor();
    if ((await signIn.count()) > 0) await signIn.click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    await goTo(window, 'Jobs');
    await page.getByRole('link', { name: `writer ${jobId.slice(0, 8)}` }).click();
    await expectStatus(window, 'completed');
    await page.getByRole('main').getByRole('link', { name: 'Audit', exact: true }).click();
    await page.getByRole('heading', { name: `Audit of job ${jobId}` }).waitFor();

    // The job: its hashes, its claims with evidence, and who did what.
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByText('Verified: the log is what was written.').waitFor();
    await page.getByText(/^derived again: [1-9]\d* of [1-9]\d*$/).waitFor();
    await page.getByText('the job is complete').waitFor();
    await page
      .getByText(/\d checks? with evidence/)
      .last()
      .click();
    await page.getByText(`phase-${jobId}`, { exact: false }).first().waitFor();
    const actions = page.getByRole('table', { name: 'Actions' });
    await actions.getByRole('row').filter({ hasText: 'job submitted' }).filter({ hasText: 'ada' }).waitFor();
    await window.expectAccessible();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download with files' }).click(),
    ]);
    const archive = join(folder, download.suggestedFilename());
    await download.saveAs(archive);

    // The log: the signed anchors that cover it.
    await page.getByRole('link', { name: 'Whole log' }).click();
    const anchors = page.getByRole('region', { name: 'Anchors', exact: true }).last();
    await expect.poll(() => anchors.getByRole('row').count()).toBeGreaterThan(1);
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByText('Verified: the log is what was written.').waitFor();
    await window.expectAccessible();

    await promisify(execFile)('tar', ['-xzf', archive, '-C', folder]);
    const host = createFakeHost({ currentDirectory: folder });
    const code = await runCli(['audit', 'verify', '--claims', '--export', join(folder, `job-${jobId}`)], host);
    expect({ code, errors: host.stderr.text }).toEqual({ code: 0, errors: '' });
    const completed = await readEvents(system.client, jobId, 'JobCompleted');
    expect(completed).toHaveLength(1);
    expect(window.problems).toEqual([]);
  });
});
