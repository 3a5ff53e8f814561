import type { JobId } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import { anyAgentPolicy, type RehearsalPolicy } from '@phaseline/rehearsal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardPage } from '../browser.fixture.js';
import { startDashboardSystem, type DashboardSystem } from '../dashboard.fixture.js';
import {
  expectStatus,
  goTo,
  isPlayedBy,
  openOverview,
  readCount,
  readEvents,
  readJobId,
  withoutCalls,
} from './story.fixture.js';

const EXTRACTOR = `name: extractor
displayName: Extractor
description: Extracts the text of a document, and writes a result.
tools:
  workspace: [read_file, write_file, append_file]
  domain: [extract_document_text]
deliverables: [output/result.md]
`;

const EXTRACT = 'extract_document_text';

/** Extracts the document once, with a tool that the tool-runner runs, and plays any agent otherwise. */
const extracting: RehearsalPolicy = {
  name: 'extracting',
  matches: isPlayedBy('extractor'),
  answer: (request) => {
    const hasCalled = request.messages.some(({ tool_calls: calls = [] }) =>
      calls.some((call) => call.function.name === EXTRACT),
    );
    return hasCalled || !request.toolNames.includes(EXTRACT)
      ? anyAgentPolicy.answer(withoutCalls(request, ({ name }) => name === EXTRACT))
      : { calls: [{ name: EXTRACT, arguments: { path: 'documents/note.md' } }] };
  },
};

let system: DashboardSystem;
let window: DashboardPage;
beforeAll(async () => {
  system = await startDashboardSystem({
    agents: { extractor: EXTRACTOR },
    policies: [extracting],
    env: { PHASELINE_TENANT_LIMITS: 'busy=1' },
  });
  window = await system.browser.openWindow();
}, 180_000);
afterAll(async () => {
  signalToolRunner('SIGCONT');
  await system?.close();
}, 60_000);

function signalToolRunner(signal: NodeJS.Signals): void {
  const pid = system?.stack.services().find(({ name }) => name === 'tool-runner')?.pid;
  if (pid !== undefined) process.kill(pid, signal);
}

async function submit(agent: string): Promise<JobId> {
  const documents = [{ name: 'note.md', content: '# Note\n\nThe report must be blue.\n' }];
  return (await system.client.submit({ agent, tenant: 'busy', documents })).jobId;
}

/** Puts a message on the queue `jobs`, as a producer does. */
async function send(messageId: string, payload: object): Promise<void> {
  const pool = createPool(system.stack.databaseUrl, { max: 1 });
  await pool.query('SELECT bullmq.add_to_jobs($1, $2)', [JSON.stringify(payload), messageId]).finally(() => pool.end());
}

const alert = (text: string) =>
  window.page
    .getByRole('region', { name: /^Alerts/ })
    .getByRole('listitem')
    .filter({ hasText: text });
const jobLink = (agent: string, jobId: JobId) =>
  window.page.getByRole('table', { name: 'Jobs' }).getByRole('link', { name: `${agent} ${jobId.slice(0, 8)}` });

describe('from the dashboard alone, a person', () => {
  it('finds why jobs are slow: the slots of their tenant are taken, and no tool-runner works', async () => {
    const { page } = window;
    signalToolRunner('SIGSTOP');
    const holder = await submit('extractor');
    await expect.poll(async () => (await system.client.get(holder)).waitsFor?.description).toContain(EXTRACT);
    const waiting = await submit('writer');

    // The alert about the tenant leads to its job that waits, which names the limit.
    await openOverview(window);
    await alert('Tenant busy uses all its slots').getByRole('link', { name: 'Show its jobs that wait' }).click();
    await page.getByLabel('Longer than, min').fill('0.05');
    await jobLink('writer', waiting).click();
    const notice = page.getByRole('status').filter({ hasText: 'Waits for' });
    await notice.getByText('a slot: tenant busy has 1 of 1 phases running; it is next in line').waitFor();
    await notice.getByText('phaseline tenants set busy --max-running-phases 2', { exact: true }).waitFor();
    await window.expectAccessible();

    // The page leads on to the job that has the slot. It waits for a tool that nothing runs.
    await notice.getByRole('link', { name: 'Show its jobs that run' }).click();
    await jobLink('extractor', holder).click();
    await notice.getByText(`the tool-runner to run the call of ${EXTRACT}`, { exact: false }).waitFor();
    await notice
      .getByText('no running process takes messages of the queue tools; start a tool-runner', { exact: false })
      .waitFor();
    await notice.getByText('docker compose up -d tool-runner', { exact: true }).waitFor();

    // The first cause: another limit lets the waiting job run.
    await goTo(window, 'Settings');
    await page.getByRole('link', { name: 'Tenants' }).click();
    await page.getByRole('row', { name: /busy/ }).getByRole('button').click();
    await page.getByRole('dialog').getByLabel('Running phases at most').fill('2');
    await page.getByRole('dialog').getByRole('button', { name: 'Set limit' }).click();
    await page.getByRole('row', { name: /busy.* of 2/ }).waitFor();
    await goTo(window, 'Jobs');
    await jobLink('writer', waiting).click();
    await expectStatus(window, 'completed');

    // The second cause, from its alert: the job that waits for the tool.
    await goTo(window, 'Overview');
    const unserved = alert('No process serves the queue tools');
    await unserved.waitFor({ timeout: 40_000 });
    await window.expectAccessible();
    await unserved.getByRole('link', { name: 'Show the jobs that wait for a worker' }).click();
    await jobLink('extractor', holder).click();
    await notice.getByText('start a tool-runner', { exact: false }).waitFor();
    await page.evaluate('window.isSameDocument = true');
    signalToolRunner('SIGCONT');
    await expectStatus(window, 'completed');
    await expect.poll(() => notice.count()).toBe(0);
    expect(await page.evaluate('window.isSameDocument')).toBe(true);

    const extracted = await readEvents(system.client, holder, 'ToolCallCompleted');
    expect(extracted.length).toBeGreaterThan(0);
    for (const jobId of [holder, waiting])
      expect(await readEvents(system.client, jobId, 'JobCompleted')).toHaveLength(1);
    expect(await system.client.tenants.get('busy')).toMatchObject({ maxRunningPhases: 2, waitingJobs: 0 });
  });

  it('repairs a dead letter, and discards another one with a reason', async () => {
    const { page } = window;
    await send('order-1', { agent: 'writer', labels: { story: 'repair' } });
    await send('order-2', { agent: 'gone' });

    await openOverview(window);
    await alert('Dead letters of the queue jobs').getByRole('link', { name: 'Open the dead letters' }).click();
    const table = page.getByRole('table', { name: 'Dead letters' });
    await expect.poll(() => table.getByRole('row').count()).toBe(3);
    expect(await page.getByLabel('Queue').inputValue()).toBe('jobs');
    await table.getByRole('link', { name: /order-1$/ }).click();
    const detail = page.getByRole('region', { name: /^Dead letter \d+$/ });
    const reason = await detail.getByRole('region', { name: 'Reason' }).textContent();
    expect(reason).toContain('for the principal phaseline_owner, which does not exist');
    expect(reason).toContain('An administrator can create it as a service, and grant it the role "operator"');
    expect(await detail.getByRole('region', { name: 'Payload' }).textContent()).toContain('"story": "repair"');
    await window.expectAccessible();

    // The reason says what to do, and the settings do it.
    await goTo(window, 'Settings');
    await page.getByRole('link', { name: 'Principals' }).click();
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Create principal' }).click();
    await dialog.getByLabel('Name').fill('phaseline_owner');
    await dialog.getByLabel('Kind').selectOption('service');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Grant role to phaseline_owner' }).click();
    await dialog.getByLabel('Role').selectOption('operator');
    await dialog.getByLabel('Tenant').fill('default');
    await dialog.getByRole('button', { name: 'Grant' }).click();
    await page.getByText('operator in default').waitFor();
    await goTo(window, 'Dead letters');
    await table.getByRole('link', { name: /order-1$/ }).click();
    await detail.getByRole('button', { name: 'Retry' }).click();
    await detail.getByText('✓sent again').waitFor();
    await detail.getByRole('link', { name: /^[0-9a-f-]{36}$/ }).click();
    const jobId = readJobId(window);
    await expectStatus(window, 'completed');

    await goTo(window, 'Dead letters');
    await table.getByRole('link', { name: /order-2$/ }).click();
    await detail.getByRole('button', { name: 'Discard…' }).click();
    await dialog.getByLabel('Reason').fill('its sender is gone');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await detail.getByText('its sender is gone').waitFor();
    await page.getByText('No dead letters.', { exact: false }).waitFor();
    await expect.poll(() => readCount(window, 'Dead letters')).toBe(0);

    await goTo(window, 'Audit');
    await page.getByRole('link', { name: 'Who did what' }).click();
    const actions = page.getByRole('table', { name: 'Actions' });
    await actions.getByText('dead letter discarded').waitFor();
    expect(await actions.getByText('dead letter retried').count()).toBe(1);
    await page.getByLabel('Action', { exact: true }).selectOption('DeadLetterDiscarded');
    await expect.poll(() => actions.getByRole('row').count()).toBe(2);
    await window.expectAccessible();

    const [submitted] = await readEvents(system.client, jobId, 'JobSubmitted');
    expect(submitted?.data).toMatchObject({ labels: { story: 'repair' } });
    expect((await system.client.listPage({ label: 'story=repair' })).items).toHaveLength(1);
    const { items } = await system.client.audit.actions({ action: 'DeadLetterDiscarded' });
    expect(items).toHaveLength(1);
    expect(items[0]?.streamId).toMatch(/^dead-letter-\d+$/);
  });

  it('meets no error of the pages', () => {
    expect(window.problems).toEqual([]);
  });
});
