import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { formatUsd, type PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { plannerPolicy } from '@phaseline/rehearsal';
import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DashboardPage } from './browser.fixture.js';
import { createPerson, openWindowOf, startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';
import { readEvents } from './stories/story.fixture.js';

const GOAL = 'Read twelve books by the end of June, half an hour every evening';
const SAILING = 'Learn to sail in ten weeks';
/** A goal in which a page would run code if it took the text for HTML. */
const HOSTILE = 'Learn to <img src=x onerror="document.title=1">';

let system: DashboardSystem;
const clients = new Map<string, PhaselineClient>();
/** The window of the person for whom the plans are made. */
let window: DashboardPage;
let planId: JobId;
/** A plan whose schedule is left waiting for approval, and one that waits for an answer. */
let sailingId: JobId;
let waitingId: JobId;

beforeAll(async () => {
  const root = randomBytes(24).toString('hex');
  system = await startDashboardSystem({
    env: { PHASELINE_API_KEYS: `root=${root}` },
    policies: [plannerPolicy],
  });
  for (const [id, role] of [
    ['ada', 'operator'],
    ['bea', 'operator'],
    ['vera', 'viewer'],
  ] as const)
    clients.set(id, await createPerson(system, id, role));
  window = await openWindowOf(system, clients.get('ada')!);
  const ada = clients.get('ada')!;
  sailingId = (await ada.submitPlan({ goal: SAILING, policy: { conversationStyle: 'concise' } })).planId;
  waitingId = (await ada.submitPlan({ goal: 'Get better' })).planId;
  // Ada chooses between options herself.
  planId = (await ada.submitPlan({ goal: GOAL, zone: 'Europe/Berlin', policy: { autonomy: 'low' } })).planId;
  await Promise.all([planId, sailingId, waitingId].map(waitForPerson));
}, 180_000);
afterAll(() => system?.close(), 60_000);

async function waitForPerson(id: JobId): Promise<void> {
  await vi.waitFor(async () => expect((await system.client.plan(id)).waitsFor).not.toBeNull(), {
    ...{ timeout: 60_000, interval: 200 },
  });
}

const state = () => window.page.locator('.plan-state');
const messages = () => window.page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
const notYet = (title: string): string => `${title} not yet`;

/** Reads the stages in the row, each with its state. */
async function stages(): Promise<readonly string[]> {
  const texts = await window.page
    .getByRole('list', { name: 'Stages of the plan' })
    .getByRole('listitem')
    .allInnerTexts();
  return texts.map((text) =>
    text
      .split('\n')
      .slice(-2)
      .map((line) => line.trim())
      .join(' '),
  );
}

describe('the screen Plans', () => {
  it('lists plans, and filters them by status and pattern', async () => {
    const { page } = window;
    await window.open('/plans');
    const table = page.getByRole('table', { name: 'Plans' });
    const goals = () => table.getByRole('link').allInnerTexts();
    await expect.poll(goals).toEqual([GOAL, 'Get better', SAILING]);
    await window.expectAccessible();
    await window.takePicture('plans');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('complete');
    await page.getByText('No plan matches these filters.').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('needs_clarification');
    await expect.poll(goals).toEqual([GOAL, 'Get better', SAILING]);
    await page.getByRole('combobox', { name: 'Pattern' }).selectOption('milestone_project');
    await expect.poll(goals).toEqual([SAILING]);
    expect(new URL(page.url()).search).toBe('?status=needs_clarification&pattern=milestone_project');
    await page.getByRole('combobox', { name: 'Pattern' }).selectOption('');
    await table.getByRole('link', { name: GOAL }).click();
    await page.getByRole('heading', { level: 1, name: GOAL }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/plans/${planId}`);
  });

  it('asks a question, and continues with the answer, which is sent once', async () => {
    const { page } = window;
    await page.evaluate('window.isSameDocument = true');
    expect(await stages()).toEqual(['Context waits', ...['Outline', 'Roadmap', 'Schedule', 'Approval'].map(notYet)]);
    await state().getByText('Do you prefer it concise or conversational?').waitFor();
    await window.expectAccessible();
    // The answer of the server is lost, so the page sends the reply again.
    let requests = 0;
    await page.route('**/reply', async (route) => {
      requests += 1;
      const response = await route.fetch({
        headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' },
      });
      await (requests === 1 ? route.abort() : route.fulfill({ response }));
    });
    const text = 'Conversational. Five hours a week, in the evenings.';
    await page.getByRole('textbox', { name: 'Your reply' }).fill(text);
    await page.getByRole('button', { name: 'Reply', exact: true }).click();
    await page.getByRole('button', { name: /^steady/ }).waitFor({ timeout: 60_000 });
    await page.unroute('**/reply');
    expect(requests).toBe(2);
    const answers = await readEvents(system.client, planId, 'QuestionAnswered');
    expect(answers.map(({ data }) => data['answer'])).toEqual([text]);
    expect(await messages().last().innerText()).toContain(text);
  });

  it('offers options, and shows the outline meanwhile', async () => {
    const { page } = window;
    await page.getByRole('tab', { name: 'Outline' }).click();
    await page.getByRole('tabpanel').getByText('Read 12 books', { exact: false }).first().waitFor();
    await window.expectAccessible();
    await page.getByRole('button', { name: /^steady/ }).click();
    await page.getByRole('button', { name: 'Approve the schedule' }).waitFor({ timeout: 60_000 });
  });

  it('shows the schedule that is to be approved as a picture, a table and files', async () => {
    const { page } = window;
    const { hashes, schedule } = await system.client.plan(planId);
    expect(await state().locator('code').innerText()).toBe(hashes['schedule']!.slice(0, 12));
    expect((await stages()).at(-1)).toBe('Approval waits');
    await page.getByRole('tab', { name: 'Schedule' }).click();
    const tasks = schedule!['tasks'] as readonly unknown[];
    await expect
      .poll(() => page.getByRole('region', { name: 'Schedule' }).locator('tbody tr').count())
      .toBe(tasks.length);
    const picture = page.getByRole('img', { name: /^Gantt picture/ });
    await expect
      .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(1284);
    expect(await picture.getAttribute('src')).toMatch(/^blob:/);
    await window.expectAccessible();
    await window.takePicture('plan');

    const waiting = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Calendar file' }).click();
    const download = await waiting;
    expect(download.suggestedFilename()).toBe(`plan-${planId}.ics`);
    const text = await readFile(await download.path(), 'utf8');
    const root = new ICAL.Component(ICAL.parse(text) as ConstructorParameters<typeof ICAL.Component>[0]);
    expect(root.getAllSubcomponents('vevent')).toHaveLength(tasks.length);
  });

  it('drafts again what a person wants to be different, and is approved', async () => {
    const { page } = window;
    const before = (await system.client.plan(planId)).waitsFor!.callId;
    await page.getByRole('textbox', { name: 'Or say what is to be different' }).fill('shorter sessions');
    await page.getByRole('button', { name: 'Propose changes' }).click();
    const approve = page.getByRole('button', { name: 'Approve the schedule' });
    await expect
      .poll(async () => (await system.client.plan(planId)).waitsFor?.callId ?? before, { timeout: 60_000 })
      .not.toBe(before);
    await messages().getByText('shorter sessions').waitFor();
    await approve.waitFor();
    const [refusal] = await readEvents(system.client, planId, 'ApprovalRefused');
    expect(refusal?.data).toMatchObject({ actor: 'ada', reason: 'propose changes: shorter sessions' });
    await approve.click();
    await page.getByRole('heading', { name: 'The plan is complete' }).waitFor({ timeout: 60_000 });
    await state().getByText('The schedule is approved.').waitFor();
    await expect
      .poll(stages)
      .toEqual(['Context', 'Outline', 'Roadmap', 'Schedule', 'Approval'].map((title) => `${title} done`));
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await page.evaluate('window.isSameDocument')).toBe(true);
    expect((await system.client.plan(planId)).planningStatus).toBe('complete');
    await window.expectAccessible();
  });

  it('shows how it was made: every step, whose costs are the money of the job, and every change', async () => {
    const { page } = window;
    const panel = page.getByRole('tabpanel');
    await page.getByRole('tab', { name: 'Trace' }).click();
    const { usage } = await system.client.get(planId);
    const { items } = await system.client.planTrace(planId);
    await panel.getByText(`${items.length} steps, ${formatUsd(usage.costMicroUsd)} in total`).waitFor();
    expect(await panel.locator('tbody tr').count()).toBe(items.length);
    await window.expectAccessible();
    await page.getByRole('tab', { name: 'Roadmap' }).click();
    await panel.getByRole('heading', { name: 'Options that were tried' }).waitFor();
    expect(await panel.locator('.badge', { hasText: 'chosen' }).count()).toBe(1);
    await window.expectAccessible();
    await page.getByRole('tab', { name: 'Changes' }).click();
    const { adaptations } = await system.client.plan(planId);
    await expect.poll(() => panel.locator('.plan-change').count()).toBe(adaptations.length);
    await window.expectAccessible();
  });

  it('shows texts of people and models as texts', async () => {
    const { page } = window;
    const { planId: hostileId } = await clients.get('ada')!.submitPlan({ goal: HOSTILE });
    await waitForPerson(hostileId);
    await window.open(`/plans/${hostileId}`);
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    await messages().first().getByText(HOSTILE).waitFor();
    expect(await page.locator('main img:not([src^="blob:"])').count()).toBe(0);
    expect(await page.title()).toBe(`${HOSTILE} · Phaseline`);
  });

  it('fits into a narrow window', async () => {
    const { page } = window;
    await page.setViewportSize({ width: 420, height: 900 });
    for (const path of [
      '/plans',
      `/plans/${planId}`,
      ...['schedule', 'roadmap', 'outline', 'changes', 'trace'].map((name) => `/plans/${sailingId}?panel=${name}`),
    ]) {
      await window.open(path);
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 420]);
    }
    await window.expectAccessible();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('meets no violation of the content policy, and no error', () => {
    expect(window.problems).toEqual([]);
  });
});

describe('a plan of another person', () => {
  it.each([
    ['vera', 'questions:answer'],
    ['bea', 'plans:approve'],
  ])('is shown to %s without a form, and with the right that is missing', async (name, right) => {
    const { page, problems, ...other } = await openWindowOf(system, clients.get(name)!);
    await other.open(`/plans/${waitingId}`);
    await page.locator('.plan-state').getByText(right).waitFor();
    expect(await page.locator('.plan-state').getByRole('button').count()).toBe(0);
    expect(await page.getByRole('textbox').count()).toBe(0);
    await other.expectAccessible();
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
