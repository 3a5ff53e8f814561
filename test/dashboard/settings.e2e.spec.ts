import { afterAll, beforeAll, expect, it } from 'vitest';
import { PhaselineClient } from '@phaseline/client';
import type { DashboardPage } from './browser.fixture.js';
import { startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

let system: DashboardSystem;
let window: DashboardPage;

beforeAll(async () => {
  system = await startDashboardSystem();
  window = await system.browser.openWindow();
});
afterAll(() => system.close());

const findDialog = (): ReturnType<DashboardPage['page']['getByRole']> => window.page.getByRole('dialog');

it('shows who the caller is, and the processes', async () => {
  const { page } = window;
  await window.open('/settings');
  await page.getByText('as the user who runs the server').waitFor();
  const rights = page.getByRole('region', { name: 'Your rights', exact: true });
  expect(await rights.getByRole('row').count()).toBeGreaterThan(25);
  await window.expectAccessible();
  await page.getByRole('link', { name: 'About' }).click();
  const processes = page.getByRole('region', { name: 'Processes', exact: true }).last();
  await expect.poll(() => processes.getByRole('row').count()).toBe(5);
  await window.expectAccessible();
});

it('creates, limits and disables principals, and shows the refusal of a name at its field', async () => {
  const { page } = window;
  await window.open('/settings/principals');
  await page.getByText('No principals.').waitFor();
  await page.getByRole('button', { name: 'Create principal' }).click();
  await findDialog().getByLabel('Name').fill('not a name');
  await findDialog().getByRole('button', { name: 'Create' }).click();
  await findDialog().getByRole('alert').getByText('expected letters').waitFor();
  await window.expectAccessible();
  await findDialog().getByLabel('Name').fill('builds');
  await findDialog().getByLabel('Kind').selectOption('service');
  await findDialog().getByRole('button', { name: 'Create' }).click();
  const table = page.getByRole('region', { name: 'Principals', exact: true });
  await table.getByText('no role').waitFor();

  for (const [role, tenant] of [
    ['operator', 'default'],
    ['viewer', '*'],
  ] as const) {
    await page.getByRole('button', { name: 'Grant role to builds' }).click();
    await findDialog().getByLabel('Role').selectOption(role);
    await findDialog().getByLabel('Tenant').fill(tenant);
    if (role === 'viewer') await window.expectAccessible();
    await findDialog().getByRole('button', { name: 'Grant' }).click();
    await findDialog().waitFor({ state: 'detached' });
  }
  await table.getByText('viewer in all tenants', { exact: true }).waitFor();
  await window.expectAccessible();
  await page.getByRole('button', { name: 'Revoke viewer in all tenants of builds' }).click();
  await findDialog().getByRole('button', { name: 'Revoke' }).click();
  await table.getByText('viewer in all tenants', { exact: true }).waitFor({ state: 'detached' });
  expect((await system.client.principals.get('builds')).roles).toMatchObject([{ role: 'operator', tenant: 'default' }]);

  await page.getByRole('button', { name: 'Disable builds' }).click();
  await findDialog().getByLabel('Reason').fill('holiday');
  await findDialog().getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Enable builds' }).click();
  await findDialog().getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Disable builds' }).waitFor();
});

it('shows a new key once, and revokes it with a reason', async () => {
  const { page } = window;
  await window.open('/settings/keys');
  await page.getByText('No keys.').waitFor();
  await page.getByRole('button', { name: 'Create key' }).click();
  await findDialog().getByLabel('Principal').fill('nobody');
  await findDialog().getByRole('button', { name: 'Create key' }).click();
  await findDialog().getByRole('alert').waitFor();
  await findDialog().getByLabel('Principal').fill('builds');
  await findDialog().getByLabel('What it is for').fill('nightly builds');
  await findDialog().getByLabel('Only these rights').fill('jobs:read, jobs:submit');
  await window.expectAccessible();
  await findDialog().getByRole('button', { name: 'Create key' }).click();
  await findDialog().getByText('It is shown only this once').waitFor();
  const key = (await findDialog().locator('code').textContent()) ?? '';
  expect(key).toMatch(/^plk_[0-9a-f]{8}/);
  await window.expectAccessible();
  const own = new PhaselineClient({ baseUrl: system.stack.apiUrl, apiKey: key, retries: 0 });
  expect((await own.whoAmI()).rights.map(({ right }) => right)).toEqual(['jobs:read', 'jobs:submit']);
  await findDialog().getByRole('button', { name: 'I have stored it' }).click();
  const table = page.getByRole('region', { name: 'Keys', exact: true }).last();
  await table.getByText('nightly builds').waitFor();
  expect(await page.content()).not.toContain(key);
  await window.expectAccessible();
  await window.takePicture('settings-keys');

  await page.getByRole('button', { name: /^Revoke [0-9a-f]{8}$/ }).click();
  expect(await findDialog().getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true);
  await findDialog().getByLabel('Reason').fill('no longer needed');
  await findDialog().getByRole('button', { name: 'Revoke' }).click();
  await table.getByText('revoked').waitFor();
  await expect
    .poll(() =>
      own.whoAmI().then(
        () => 'accepted',
        (error: { readonly code: string }) => error.code,
      ),
    )
    .toBe('unauthorized');
});

it('sets the limit of a tenant, stores a secret, and shows what retention would remove', async () => {
  const { page } = window;
  const jobId = await system.runJob('writer', 'completed');
  await window.open('/settings/tenants');
  await page.getByRole('button', { name: 'Set a limit' }).click();
  await findDialog().getByLabel('Tenant').fill('laboratory');
  await findDialog().getByLabel('Running phases at most').fill('3');
  await window.expectAccessible();
  await findDialog().getByRole('button', { name: 'Set limit' }).click();
  await page.getByText('0 of 3').waitFor();
  await window.expectAccessible();

  await window.open('/settings/secrets');
  await page.getByText('No secrets in default.').waitFor();
  await page.getByRole('button', { name: 'Store secret' }).click();
  await findDialog().getByLabel('Name').fill('forge-token');
  await findDialog().getByLabel('Value').fill('never shown again');
  await findDialog().getByRole('button', { name: 'Store' }).click();
  await findDialog().getByRole('alert').getByText('expected letters, digits and _').waitFor();
  await findDialog().getByLabel('Name').fill('forge_token');
  await window.expectAccessible();
  await findDialog().getByRole('button', { name: 'Store' }).click();
  await page.getByText('forge_token', { exact: true }).waitFor();
  expect(await page.content()).not.toContain('never shown again');
  await page.getByRole('button', { name: 'Remove forge_token' }).click();
  await findDialog().getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No secrets in default.').waitFor();

  await system.client.holds.place(jobId, { reason: 'a question of the court' });
  await window.open('/settings/retention');
  await page.getByText('a question of the court').waitFor();
  await page.getByRole('button', { name: 'Set retention' }).click();
  await findDialog().getByLabel('Tenant').fill('default');
  await findDialog().getByLabel('Keep files for (days)').fill('0');
  await findDialog().getByRole('button', { name: 'Set retention' }).click();
  await page.getByText('0 days').waitFor();
  await page.getByRole('button', { name: 'Show what would go' }).click();
  await page.getByText('0 files (0 B) of 0 jobs').waitFor();
  await page.getByText('completed').waitFor();
  await window.expectAccessible();
  await page.getByRole('button', { name: `Release the hold on ${jobId}` }).click();
  await findDialog().getByLabel('Reason').fill('decided');
  await findDialog().getByRole('button', { name: 'Release' }).click();
  await page.getByText('No job is on hold.').waitFor();

  await page.setViewportSize({ width: 420, height: 900 });
  for (const tab of ['principals', 'keys', 'retention', 'about']) {
    await window.open(`/settings/${tab}`);
    expect(await page.evaluate('document.documentElement.scrollWidth'), tab).toBe(420);
  }
  await window.open('/settings/keys');
  await page.getByText('revoked').waitFor();
  await window.takePicture('settings-narrow');
  expect(window.problems).toEqual([]);
});
