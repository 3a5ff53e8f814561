import type { JobId } from '@phaseline/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardPage } from './browser.fixture.js';
import { startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

const READER = `name: reader
displayName: Reader
description: Reads a document about a region, and writes what it found.
tools:
  workspace: [read_file, write_file, append_file]
requires: { documents: 1, instructions: true, parameters: [region] }
budgets: { maxCostUsd: 5 }
deliverables: [output/result.md]
`;

let system: DashboardSystem;
let window: DashboardPage;
beforeAll(async () => {
  system = await startDashboardSystem({ agents: { reader: READER } });
  window = await system.browser.openWindow();
}, 120_000);
afterAll(() => system.close());

const field = (name: string | RegExp) => window.page.getByRole('textbox', { name });
const submit = () => window.page.getByRole('button', { name: 'Submit', exact: true }).click();
const listDocuments = () =>
  window.page
    .getByRole('textbox', { name: /^Name of the document/ })
    .evaluateAll((inputs) => inputs.map((input) => (input as unknown as { value: string }).value));

describe('the form that submits a job', () => {
  it('says what the agent needs, and what is missing at its field', async () => {
    const { page } = window;
    await window.open('/submit');
    await submit();
    await page.getByText('Choose an agent.').waitFor();
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('reader');
    await page.getByText('at least 1 document, instructions, the parameter region').waitFor();
    expect(await field('Cost in US dollars').getAttribute('placeholder')).toBe('5');
    await field('Cost in US dollars').fill('much');
    await field('Labels').fill('legal');
    await submit();
    const alerts = page.getByRole('alert');
    await expect
      .poll(() => alerts.allInnerTexts())
      .toEqual([
        'Reader needs instructions.',
        'This value is needed.',
        'Reader needs at least 1 document.',
        'Expected a number above 0.',
        'Expected key=value, found “legal”.',
      ]);
    await expect.poll(() => field('Instructions').and(page.locator(':focus')).count()).toBe(1);
    await window.expectAccessible();
  });

  it('takes files that are chosen, dropped and written', async () => {
    const { page } = window;
    await page.getByLabel('Files', { exact: true }).setInputFiles({
      ...{ name: 'spec.md', mimeType: 'text/markdown', buffer: Buffer.from('# Spec\n\nThe report must be blue.\n') },
    });
    const transfer = await page.evaluateHandle(
      "(() => { const t = new DataTransfer(); t.items.add(new File(['dropped'], 'dropped.txt')); return t; })()",
    );
    await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer: transfer });
    await page.getByRole('button', { name: 'Write a text…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Write a text' });
    await dialog.getByRole('textbox', { name: 'Text' }).fill('Written here.\n');
    await window.expectAccessible();
    await dialog.getByRole('button', { name: 'Add the text' }).click();
    expect(await listDocuments()).toEqual(['spec.md', 'dropped.txt', 'note.md']);
    await page.getByRole('button', { name: 'Remove dropped.txt' }).click();
    expect(await listDocuments()).toEqual(['spec.md', 'note.md']);
  });

  it('shows what the server refuses at the field that it names', async () => {
    const { page } = window;
    await field('Instructions').fill('Only chapter 3.');
    await field('Parameter region').fill('EU');
    await field('Cost in US dollars').fill('2.5');
    await field('Labels').fill('team=legal');
    await field('Idempotency key').fill('two words');
    await field('Name of the document note.md').fill('../note.md');
    await submit();
    const texts = () => page.getByRole('alert').allInnerTexts();
    await expect.poll(texts).toEqual([expect.stringContaining('expected a file name')]);
    await field('Name of the document ../note.md').fill('notes/note.md');
    await submit();
    await expect.poll(texts).toEqual([expect.stringContaining('printable ASCII characters')]);
    await field('Idempotency key').fill('order-7');
    expect(await texts()).toEqual([]);
    await window.takePicture('submit');
  });

  it('submits the job and shows its page', async () => {
    const { page } = window;
    await submit();
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/);
    const jobId = page.url().split('/').at(-1) as JobId;
    const { agent, labels } = await system.client.get(jobId);
    expect({ agent, labels }).toEqual({ agent: 'reader', labels: { team: 'legal' } });
    const paths = (await system.client.files(jobId)).map(({ path }) => path);
    expect(paths.filter((path) => path.startsWith('documents/'))).toEqual([
      'documents/notes/note.md',
      'documents/spec.md',
    ]);
    expect(await system.client.readText(jobId, 'documents/notes/note.md')).toBe('Written here.\n');
  });

  it('says so when the idempotency key was used before', async () => {
    const { page } = window;
    await window.open('/submit?agent=writer');
    await field('Idempotency key').fill('order-7');
    await submit();
    await expect.poll(() => page.getByRole('alert').allInnerTexts()).toHaveLength(1);
    await field('Idempotency key').fill('order-8');
    await submit();
    await page.waitForURL(/\/jobs\//);
    await window.open('/submit?agent=writer');
    await field('Idempotency key').fill('order-8');
    await submit();
    await page.getByText('Nothing was submitted: this idempotency key belongs to the job').waitFor();
  });

  it('fits on a small screen', async () => {
    const { page } = window;
    await page.setViewportSize({ width: 420, height: 800 });
    await window.open('/submit?agent=reader');
    await page.getByText('at least 1 document, instructions, the parameter region').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420);
    await window.takePicture('submit-narrow');
  });

  it('caused no error in the browser', () => {
    expect(window.problems).toEqual([]);
  });
});
