import { randomBytes } from 'node:crypto';
import {
  formatInterval,
  formatOverConfidence,
  formatShare,
  type PhaselineClient,
  type Preferences,
} from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { Role } from '@phaseline/identity';
import { plannerPolicy } from '@phaseline/rehearsal';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DashboardPage } from './browser.fixture.js';
import { createPerson, openWindowOf, startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

const GOAL = 'Learn to sail in ten weeks\n\nTwo evenings a week, with friends.';

let system: DashboardSystem;
const clients = new Map<string, PhaselineClient>();
/** The window of an operator. */
let window: DashboardPage;
let planId: JobId;

beforeAll(async () => {
  const root = randomBytes(24).toString('hex');
  system = await startDashboardSystem({ env: { PHASELINE_API_KEYS: `root=${root}` }, policies: [plannerPolicy] });
  const people: readonly (readonly [string, Role, readonly string[]])[] = [
    ['ada', 'operator', ['default']],
    ['carl', 'approver', ['default']],
    ['vera', 'viewer', ['default']],
    ['olga', 'operator', ['acme', 'default']],
  ];
  for (const [id, role, tenants] of people) clients.set(id, await createPerson(system, id, role, tenants));
  window = await openWindowOf(system, clients.get('ada')!);
}, 120_000);
afterAll(() => system?.close(), 60_000);

const field = (name: string) => window.page.getByLabel(name, { exact: true });
const alerts = () => window.page.getByRole('alert').allInnerTexts();
const press = (name: string) => window.page.getByRole('button', { name, exact: true }).click();
const isFocused = (name: string): Promise<boolean> =>
  field(name).evaluate((element) => element === element.ownerDocument.activeElement);
const disclosure = () => window.page.locator('summary', { hasText: 'For this plan only' });
const listPlans = async () => (await system.client.planPage()).items;

/** Moves the focus with the tab key until it is on what a selector names. Fails if the keyboard does not reach it. */
async function tabTo(selector: string): Promise<void> {
  for (let count = 0; count < 60; count += 1) {
    await window.page.keyboard.press('Tab');
    if ((await window.page.locator(`${selector}:focus`).count()) > 0) return;
  }
  throw new Error(`the keyboard does not reach ${selector}`);
}

/** Sends the requests for plans with a tone that no server knows. */
const refuseTone = () =>
  window.page.route('**/v1/plans', (route) => {
    const request = JSON.parse(route.request().postData() ?? '{}') as object;
    return route.continue({ postData: JSON.stringify({ ...request, policy: { tone: 'rude' } }) });
  });

describe('the form that starts a plan', () => {
  it('is reached from the empty list, and by keyboard asks for the goal', async () => {
    const { page } = window;
    await window.open('/plans');
    await page.getByText('There is no plan yet.').waitFor();
    await tabTo('a:text-is("New plan")');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'New plan' }).waitFor();
    expect(await field('Time zone').inputValue()).toBe('UTC');
    await tabTo('button:text-is("Start planning")');
    await page.keyboard.press('Enter');
    await expect.poll(alerts).toEqual(['Say what you want to reach.']);
    expect(await isFocused('Goal')).toBe(true);
  });

  it('shows each value that the server refuses at its field, and keeps what was typed', async () => {
    const { page } = window;
    // All of it by keyboard, from the goal, which has the focus.
    await page.keyboard.insertText(GOAL);
    expect(await alerts()).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.type('02012027');
    await tabTo('input[name=end]');
    await page.keyboard.type('0101');
    await tabTo('summary');
    await page.keyboard.press('Enter');
    await field('Talkativeness').waitFor();
    await tabTo('button:text-is("Start planning")');
    await page.keyboard.press('Enter');
    await expect.poll(alerts).toEqual(['Enter a whole day, or none.']);
    expect(await isFocused('End (optional)')).toBe(true);

    await field('End (optional)').fill('2027-01-01');
    await field('Time zone').fill('Mars/Base');
    await field('Talkativeness').fill('much');
    await disclosure().click();
    await press('Start planning');
    await expect.poll(alerts).toEqual(['Expected a number from 0 to 1, such as 0.5.']);
    // The disclosure has opened.
    await expect.poll(() => isFocused('Talkativeness')).toBe(true);
    await field('Talkativeness').fill('');
    // A server of another release may refuse what is offered here.
    await disclosure().click();
    await refuseTone();
    await press('Start planning');
    await expect.poll(() => isFocused('Tone')).toBe(true);
    expect(await alerts()).toEqual([expect.stringContaining('clinical')]);
    await page.unroute('**/v1/plans');
    await press('Start planning');
    await expect
      .poll(alerts)
      .toEqual(['expected a day that is not before the start, 2027-02-01', expect.stringContaining('Europe/Berlin')]);
    expect(await isFocused('End (optional)')).toBe(true);
    await window.expectAccessible();
    expect(await field('Goal').inputValue()).toBe(GOAL);
    expect(await listPlans()).toEqual([]);
  });

  it('starts one plan, also if the answer is lost and the button is pressed again, and leads to it', async () => {
    const { page } = window;
    await field('End (optional)').fill('2027-04-30');
    await field('Time zone').fill('Europe/Berlin');
    await field('Style').selectOption('concise');
    await field('Talkativeness').fill('0.25');
    await field('Questions').selectOption('1');
    await page.evaluate('scrollTo(0, 0)');
    await window.takePicture('plan-new');
    const bodies: string[] = [];
    // Every answer to the first press is lost, with that to its repeat.
    await page.route('**/v1/plans', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      bodies.push(route.request().postData() ?? '');
      const response = await route.fetch({
        headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' },
      });
      return bodies.length <= 2 ? route.abort() : route.fulfill({ response });
    });
    await press('Start planning');
    await expect.poll(alerts).toEqual([expect.stringContaining('No Phaseline server responds')]);
    expect(await field('Goal').inputValue()).toBe(GOAL);
    await page.getByRole('button', { name: 'Start planning' }).dblclick();
    await page.waitForURL(/\/plans\/[0-9a-f-]{36}$/);
    await page.unroute('**/v1/plans');
    expect(bodies.length).toBeGreaterThan(2);
    expect(new Set(bodies).size).toBe(1);
    await page.getByRole('heading', { level: 1, name: /^Learn to sail in ten weeks/ }).waitFor();
    const plans = await listPlans();
    expect(plans.map(({ user, tenant }) => [user, tenant])).toEqual([['ada', 'default']]);
    planId = plans[0]!.planId;
    expect(page.url()).toMatch(planId);
    const parameters: unknown = JSON.parse(await system.client.readText(planId, 'parameters.json'));
    expect(parameters).toMatchObject({
      ...{ goal: GOAL, zone: 'Europe/Berlin', start: '2027-02-01', end: '2027-04-30' },
      policy: { conversationStyle: 'concise', talkativeness: 0.25, probingDepth: 1 },
    });
  });
});

describe('how sure the planner is, and how right', () => {
  it('says what to do while nothing is known', async () => {
    const { page } = window;
    await window.open('/plans');
    await page.getByRole('link', { name: 'How sure, and how right' }).click();
    await page.getByText('No draft of a plan was approved, changed or found invalid yet.').waitFor();
    await window.expectAccessible();
    await page.getByRole('link', { name: 'Start a plan' }).click();
    await page.getByRole('heading', { level: 1, name: 'New plan' }).waitFor();
  });

  it('shows the confidence of drafts against what became of them', async () => {
    const ada = clients.get('ada')!;
    await vi.waitFor(async () => expect((await ada.plan(planId)).waitsFor?.kind).toBe('approval'), {
      ...{ timeout: 60_000, interval: 200 },
    });
    await ada.replyToPlan(planId, { text: 'approve' });
    await expect.poll(async () => (await ada.calibration()).items.length, { timeout: 60_000 }).toBe(1);
    const [group] = (await ada.calibration()).items;
    await window.open('/plans/calibration');
    const table = window.page.getByRole('region', {
      name: `Calibration: Agent planner, model ${group!.model}`,
      exact: true,
    });
    const rows = table.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(group!.bands.length + 1);
    const { approved, changed, invalid, aborted } = group!.counts;
    expect(await rows.last().locator('td').allInnerTexts()).toEqual([
      ...['all', ...[approved, changed, invalid, aborted, approved + changed + invalid].map(String)],
      ...[formatShare(group!.meanConfidence), formatShare(group!.shareApproved)],
      `${formatOverConfidence(group!)} ${formatInterval(group!)}`,
    ]);
    await window.expectAccessible();
  });
});

describe('preferences', () => {
  const read = async (): Promise<Record<string, unknown>> => {
    const { preferences, set } = await clients.get('ada')!.preferences();
    return Object.fromEntries(set.map((key) => [key, preferences[key]]));
  };
  const state = (name: string) => window.page.locator('.plan-preference', { has: field(name) }).locator('.badge');
  const message = () => window.page.locator('form').getByRole('status').innerText();
  const change = (changes: Parameters<PhaselineClient['changePreferences']>[0]): Promise<Preferences> =>
    clients.get('ada')!.changePreferences(changes);
  const shown = (name: string): Promise<string> =>
    field(name).evaluate((element) => {
      const { selectedOptions, placeholder } = element as unknown as {
        readonly selectedOptions?: ArrayLike<{ readonly text: string }>;
        readonly placeholder: string;
      };
      return selectedOptions?.[0]?.text ?? placeholder;
    });

  it('show the default of each value, and keep what is set', async () => {
    const { page } = window;
    await window.open('/plans');
    await page.getByRole('link', { name: 'Preferences' }).click();
    await field('Tone').waitFor();
    expect(
      await Promise.all(
        ['Style', 'Talkativeness', 'Autonomy', 'Brainstorming', 'Approvals', 'Questions', 'Tone'].map(shown),
      ),
    ).toEqual([
      ...['default (standard)', 'default (0.5)', 'default (medium)', 'default (suggest when uncertain)'],
      ...['default (single final)', 'default (2)', 'default (neutral)'],
    ]);
    await press('Save preferences');
    await expect.poll(message).toBe('Nothing was changed.');
    await field('Tone').selectOption('friendly');
    await field('Questions').selectOption('0');
    await field('Talkativeness').fill('0.3');
    await expect.poll(() => state('Tone').innerText()).toContain('not saved');
    // The keyboard saves from any field.
    await field('Talkativeness').press('Enter');
    await expect.poll(message).toBe('Saved. Your later plans use it.');
    expect(await read()).toEqual({ tone: 'friendly', probingDepth: 0, talkativeness: 0.3 });
    expect(await state('Tone').innerText()).toContain('set by you');
    expect(await state('Style').innerText()).toContain('default');
    await window.expectAccessible();
    await window.open('/plans/preferences');
    expect([await shown('Tone'), await field('Talkativeness').inputValue()]).toEqual(['friendly', '0.3']);
  });

  it('are what a new plan is made with where it says nothing', async () => {
    await window.open('/plans/new');
    await disclosure().click();
    await expect.poll(() => shown('Tone')).toBe('your preference (friendly)');
    expect(await shown('Talkativeness')).toBe('your preference (0.3)');
    expect(await shown('Autonomy')).toBe('default (medium)');
  });

  it('are cleared', async () => {
    await window.open('/plans/preferences');
    await press('Clear questions');
    expect(await isFocused('Questions')).toBe(true);
    await press('Clear talkativeness');
    await press('Save preferences');
    await expect.poll(message).toContain('Saved.');
    expect(await read()).toEqual({ tone: 'friendly' });
    expect(await state('Questions').innerText()).toContain('default');
  });

  it('that cannot be, or that the server refuses, are shown at their field', async () => {
    const { page } = window;
    await field('Talkativeness').fill('7');
    await press('Save preferences');
    await expect.poll(alerts).toEqual(['Expected a number from 0 to 1, such as 0.5.']);
    expect(await isFocused('Talkativeness')).toBe(true);
    await field('Talkativeness').fill('1');
    expect(await alerts()).toEqual([]);
    await page.route('**/v1/me/preferences*', (route) =>
      route.request().method() === 'PUT' ? route.continue({ postData: '{"talkativeness":7}' }) : route.continue(),
    );
    await press('Save preferences');
    await expect.poll(alerts).toEqual([expect.stringMatching(/<=1$/)]);
    expect(await isFocused('Talkativeness')).toBe(true);
    await page.unroute('**/v1/me/preferences*');
    await press('Clear talkativeness');
  });

  it('that were changed elsewhere are not overwritten unseen', async () => {
    const { page } = window;
    await field('Tone').selectOption('clinical');
    await change({ tone: 'neutral', autonomy: 'low' });
    await press('Save preferences');
    await page.getByText('your preferences were changed elsewhere').waitFor();
    await window.expectAccessible();
    expect(await read()).toEqual({ tone: 'neutral', autonomy: 'low' });
    expect([await shown('Tone'), await shown('Autonomy')]).toEqual(['clinical', 'low']);
    await press('Save preferences');
    await expect.poll(message).toContain('Saved.');
    expect(await read()).toEqual({ tone: 'clinical', autonomy: 'low' });
    expect(await page.getByText('your preferences were changed elsewhere').count()).toBe(0);
  });

  it('that are changed while others are saved are kept for the next time', async () => {
    const { page } = window;
    let answer: (() => void) | undefined;
    const isHeld = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/v1/me/preferences*', async (route) => {
      if (route.request().method() === 'PUT') await isHeld;
      await route.continue();
    });
    await field('Approvals').selectOption('milestone_approvals');
    await press('Save preferences');
    await page.getByRole('button', { name: 'Saving…' }).waitFor();
    await field('Questions').selectOption('3');
    answer?.();
    await expect.poll(message).toContain('Saved.');
    await page.unroute('**/v1/me/preferences*');
    expect(await read()).toEqual({ tone: 'clinical', autonomy: 'low', approvalPolicy: 'milestone_approvals' });
    expect([await state('Questions').innerText(), await shown('Questions')]).toEqual([
      expect.stringContaining('not saved'),
      '3',
    ]);
    await press('Save preferences');
    await expect.poll(async () => (await read())['probingDepth']).toBe(3);
  });

  it('whose answer was lost are saved, not in conflict with themselves', async () => {
    const { page } = window;
    let requests = 0;
    await page.route('**/v1/me/preferences*', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      requests += 1;
      const response = await route.fetch({
        headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' },
      });
      return requests === 1 ? route.abort() : route.fulfill({ response });
    });
    await field('Style').selectOption('coach');
    await press('Save preferences');
    // The message of the preferences that were saved before may still be there.
    await expect.poll(() => requests).toBe(2);
    await expect.poll(message).toContain('Saved.');
    await page.unroute('**/v1/me/preferences*');
    expect((await read())['conversationStyle']).toBe('coach');
  });
});

it('the forms fit into a narrow window', async () => {
  const { page } = window;
  await page.setViewportSize({ width: 420, height: 900 });
  for (const path of ['/plans', '/plans/new', '/plans/preferences', '/plans/calibration']) {
    await window.open(path);
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
    if (path === '/plans/new') await disclosure().click();
    expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 420]);
    if (path === '/plans/new' || path === '/plans/preferences') await window.expectAccessible();
  }
  expect(window.problems).toEqual([]);
});

describe('a person without the right', () => {
  it.each([
    ['vera', { plan: false, preferences: false }],
    ['carl', { plan: false, preferences: true }],
    ['ada', { plan: true, preferences: true }],
  ])('%s is offered %j, and sees why not at the addresses of the rest', async (name, offered) => {
    const { page, problems, ...other } = await openWindowOf(system, clients.get(name)!);
    const refused: string[] = [];
    page.on('response', (response) => response.status() === 403 && refused.push(response.url()));
    await other.open('/plans');
    await page.getByRole('table', { name: 'Plans' }).waitFor();
    const count = (role: 'link' | 'button', title: string) =>
      page.getByRole(role, { name: title, exact: true }).count();
    expect({
      plan: (await count('link', 'New plan')) === 1,
      preferences: (await count('link', 'Preferences')) === 1,
    }).toEqual(offered);
    await other.open('/plans/new');
    if (!offered.plan) await page.getByText('You can follow plans, but not start one').waitFor();
    expect(await count('button', 'Start planning')).toBe(offered.plan ? 1 : 0);
    if (!offered.plan) await other.expectAccessible();
    await other.open('/plans/preferences');
    await page.getByText(offered.preferences ? 'Save preferences' : 'questions:answer').waitFor();
    expect(await count('button', 'Save preferences')).toBe(offered.preferences ? 1 : 0);
    if (!offered.preferences) await other.expectAccessible();
    expect({ refused, problems }).toEqual({ refused: [], problems: [] });
    await page.context().close();
  });
});

it('a person of several tenants chooses one, and has other preferences in each', async () => {
  const { page, problems, ...other } = await openWindowOf(system, clients.get('olga')!);
  const olga = clients.get('olga')!;
  await olga.changePreferences({ tone: 'friendly' }, { tenant: 'acme' });
  await other.open('/plans/preferences');
  const tone = page.getByLabel('Tone', { exact: true });
  expect(await tone.inputValue()).toBe('');
  await page.getByLabel('Tenant').selectOption('acme');
  await expect.poll(() => tone.inputValue()).toBe('friendly');
  await other.open('/plans/new');
  expect(await page.getByLabel('Tenant').inputValue()).toBe('default');
  await page.getByLabel('Goal').fill('Learn to row in ten weeks');
  await page.getByLabel('Tenant').selectOption('acme');
  expect(await page.getByLabel('Goal').inputValue()).toBe('Learn to row in ten weeks');
  await page.getByRole('button', { name: 'Start planning' }).click();
  await page.waitForURL(/\/plans\/[0-9a-f-]{36}$/);
  const { tenant, user } = await olga.plan(page.url().split('/').at(-1) as JobId);
  expect([tenant, user]).toEqual(['acme', 'olga']);
  expect(problems).toEqual([]);
  await page.context().close();
});
