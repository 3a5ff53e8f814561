import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardPage } from './browser.fixture.js';
import { startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

const BROKEN = 'name: writer\ndisplayName: Writer\ntools: { workspace: [read_fil] }\nlimits: { steps: many }\n';
const FIXED =
  'name: writer-2\ndisplayName: Writer\ntools: { workspace: [read_file, write_file] }\nlimits: { steps: 3 }\n';

let system: DashboardSystem;
let window: DashboardPage;
beforeAll(async () => {
  system = await startDashboardSystem();
  await system.runJob('careful', 'waiting');
  window = await system.browser.openWindow();
}, 120_000);
afterAll(() => system.close());

describe('the agents', () => {
  it('are listed with their open jobs', async () => {
    const { page } = window;
    await window.open('/agents');
    const row = page.getByRole('row', { name: /Careful/ });
    await row.getByText('Writes a result that a person has to approve.').waitFor();
    await expect.poll(() => row.getByRole('cell').nth(4).innerText()).toBe('1');
    expect(await page.getByRole('row', { name: /Asker/ }).getByRole('cell').nth(4).innerText()).toBe('0');
    await window.expectAccessible();
    await window.takePicture('agents');
  });

  it('have a page with tools by phase, limits, instructions and the definition', async () => {
    const { page } = window;
    await page.getByRole('link', { name: 'Careful' }).click();
    await page.getByRole('heading', { name: 'Careful', level: 1 }).waitFor();
    const tools = page.getByRole('region', { name: 'Tools' });
    expect(await tools.innerText()).toMatch(/Every phase\s+read_file\s+write_file\s+append_file/);
    expect(await tools.innerText()).toMatch(/A person approves\s+write_file/);
    expect(await page.getByRole('region', { name: 'Instructions' }).last().innerText()).toContain('Work as careful.');
    const { hash } = await system.client.agent('careful');
    await page.getByText(hash).waitFor();
    await window.expectAccessible();
    await window.takePicture('agent');
    expect(await page.getByRole('link', { name: 'Submit a job' }).getAttribute('href')).toBe('/submit?agent=careful');
  });

  it('can be checked before they are put into a folder', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Check a definition…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Check a definition' });
    await dialog.getByRole('textbox', { name: 'Text of agent.yaml' }).fill(BROKEN);
    await dialog.getByRole('button', { name: 'Check' }).click();
    await dialog.getByText('agent.yaml:4:').waitFor();
    expect(await dialog.getByRole('alert').innerText()).toContain('limits.steps: expected a number');
    await window.expectAccessible();
    await dialog.getByRole('textbox', { name: 'Text of agent.yaml' }).fill(FIXED);
    await dialog.getByRole('button', { name: 'Check' }).click();
    await dialog.getByText('✓ The definition is valid.').waitFor();
    await dialog.getByText('limits.steps: 3 model calls are fewer than the 20 todos', { exact: false }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('says that there is no such agent', async () => {
    await window.open('/agents/nobody');
    await window.page.getByText('There is no agent "nobody".', { exact: false }).waitFor();
  });

  it('fit on a small screen', async () => {
    const { page } = window;
    await page.setViewportSize({ width: 420, height: 800 });
    for (const path of ['/agents', '/agents/careful']) {
      await window.open(path);
      await page.getByText('Careful').first().waitFor();
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 420]);
    }
    await window.takePicture('agent-narrow');
  });

  it('caused no error in the browser', () => {
    expect(window.problems).toEqual([]);
  });
});
