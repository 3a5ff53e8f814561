import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardPage } from './browser.fixture.js';
import { createPerson, openWindowOf } from './dashboard.fixture.js';
import { startLearningSystem, type LearningSystem } from './learning.fixture.js';

let system: LearningSystem;
let window: DashboardPage;

beforeAll(async () => {
  system = await startLearningSystem();
  window = await system.browser.openWindow();
}, 180_000);
afterAll(() => system?.close(), 60_000);

describe('what was learned', () => {
  it('is reported with five anti-patterns, five measures of success and what each counts', async () => {
    const { page } = window;
    await window.open('/');
    await page.getByRole('link', { name: 'Learning', exact: true }).click();
    const rows = (name: string) => page.getByRole('region', { name, exact: true }).getByRole('row');
    await expect.poll(() => rows('Anti-patterns').last().count()).toBe(1);
    expect(await page.getByRole('table').first().getByRole('row').count()).toBe(1 + 5);
    expect(await page.getByRole('table').nth(1).getByRole('row').count()).toBe(1 + 4);
    await page.getByRole('row', { name: /^Prompts of people.*0\.83 per job/ }).waitFor();
    await page.getByLabel('Agent').selectOption('writer');
    await page.getByRole('row', { name: /^Prompts of people.*0\.00 per job/ }).waitFor();
    expect(page.url()).toContain('agent=writer');
    await window.expectAccessible();
    await page.getByLabel('Agent').selectOption('');
    await page.getByRole('row', { name: /^Prompts of people.*0\.83 per job/ }).waitFor();
    await window.takePicture('learning');
  });

  it('shows a mistake that was made five times, the rule against it, and where it happened', async () => {
    const { page } = window;
    await page.getByRole('link', { name: 'Patterns' }).click();
    const pattern = page.getByRole('region', { name: 'careful: person refused, write_file' }).first();
    await pattern.getByText('5 times in 5 jobs').waitFor();
    await pattern.getByText('Add the rule that denies these calls').click();
    const rule = pattern.getByRole('region', { name: /^Rule learned-/ });
    await expect.poll(() => rule.innerText()).toMatch(/when:\n\s+agent: careful\n\s+tool: write_file/);
    await window.expectAccessible();
    await window.takePicture('learning-patterns');
    await pattern
      .getByRole('link', { name: /^Job …/ })
      .first()
      .click();
    await page.getByRole('heading', { name: /^careful / }).waitFor();
    expect(page.url()).toMatch(/\/jobs\/[0-9a-f-]{36}\?.*at=\d+/);
    await page.getByText('ApprovalRefused').first().waitFor();
  });

  it('is promoted and withdrawn with a reason, by those who may', async () => {
    const { page } = window;
    await window.open('/learning/traces?action=write_file');
    await page
      .getByRole('link', { name: /^Asked to call write_file/ })
      .first()
      .click();
    await page.getByRole('region', { name: 'Why' }).getByText('Results are written by people.').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    const readScope = async () => (await system.client.learningTrace(id)).scope;
    await page.getByRole('button', { name: 'Promote…' }).click();
    const promote = page.getByRole('dialog', { name: 'Promote the learning trace' });
    await promote.getByLabel('Reason', { exact: false }).fill('All agents make it.');
    await window.expectAccessible();
    await promote.getByRole('button', { name: 'Promote' }).click();
    await expect.poll(() => page.getByText('agents of its project', { exact: true }).count()).toBe(1);
    await expect.poll(readScope).toBe('project');
    await window.takePicture('learning-traces');

    const viewer = await openWindowOf(system, await createPerson(system, 'vera', 'viewer'));
    await viewer.open(`/learning/traces/${id}?scope=project`);
    await viewer.page.getByText('that needs the right learning:promote').waitFor();
    expect(await viewer.page.getByRole('button', { name: 'Withdraw…' }).count()).toBe(0);
    expect(viewer.problems).toEqual([]);

    await page.getByRole('button', { name: 'Withdraw…' }).click();
    const withdraw = page.getByRole('dialog', { name: 'Withdraw the learning trace' });
    await withdraw.getByLabel('Reason', { exact: false }).fill('Outdated.');
    await withdraw.getByRole('button', { name: 'Withdraw' }).click();
    await expect.poll(readScope).toBe('job');
    await page.getByLabel('Search').fill('nothing matches xyzzy');
    await page.getByText('No learning trace matches.', { exact: false }).waitFor();
  });

  it('shows the versions of a guard in the lanes of their stages', async () => {
    const { page } = window;
    await window.open('/learning/guards');
    const lane = (stage: string) => page.getByRole('region', { name: `Stage ${stage}` });
    await lane('draft').getByText('Version 2', { exact: false }).waitFor();
    await lane('shadow').getByText('Version 1', { exact: false }).waitFor();
    await lane('shadow').getByText('5 known, 5 needed').waitFor();
    await lane('shadow').getByText('5 examples').click();
    const examples = lane('shadow').getByText('write_file: would deny; outcome: refused');
    await expect.poll(() => examples.count()).toBe(5);
    await window.expectAccessible();
    await lane('shadow').getByRole('link', { name: 'no-results' }).click();
    await page.getByRole('heading', { name: 'no-results' }).waitFor();
  });

  it('shows the sides of an experiment with their pass rates, and each branch beside its parent', async () => {
    const { page } = window;
    const { parent } = system;
    await window.open('/learning/experiments');
    const cells = (name: RegExp) => page.getByRole('row', { name }).getByRole('cell').allInnerTexts();
    await expect
      .poll(() => cells(/^steps=60/))
      .toEqual([
        expect.stringContaining('steps=60'),
        '3',
        '2',
        '1',
        '0.67 (0.21 to 0.94)',
        expect.any(String),
        expect.any(String),
      ]);
    expect((await cells(/^As recorded/)).slice(1, 5)).toEqual(['2', '2', '0', '1.00 (0.34 to 1.00)']);
    await page.getByText('5 branches').click();
    await window.expectAccessible();
    await window.takePicture('learning-experiments');
    await page
      .getByRole('link', { name: /^Compare/ })
      .first()
      .click();
    await page.getByRole('heading', { name: `Compare ${parent.slice(0, 8)} and`, exact: false }).waitFor();
    await page.getByText(`from ${parent} at`, { exact: false }).first().waitFor();
  });

  it('can be read on a small screen', async () => {
    const { page } = window;
    await page.setViewportSize({ width: 400, height: 800 });
    for (const tab of ['', '/patterns', '/traces', '/guards', '/experiments']) {
      await window.open(`/learning${tab}`);
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
      expect([tab, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([tab, 400]);
    }
  });

  it('caused no error in the browser', () => {
    expect(window.problems).toEqual([]);
  });
});
