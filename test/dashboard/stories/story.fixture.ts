import type { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { RehearsalPolicy, RehearsalRequest } from '@phaseline/rehearsal';
import { expect } from 'vitest';
import type { DashboardPage } from '../browser.fixture.js';

/** Whether a request is that of an agent. */
export function isPlayedBy(agent: string): RehearsalPolicy['matches'] {
  return ({ messages }) => messages.some(({ content }) => content?.startsWith(`You are the agent "${agent}"`) ?? false);
}

/** Removes calls with their results from a conversation, so that another policy plays as if they had not been made. */
export function withoutCalls(
  request: RehearsalRequest,
  isRemoved: (call: { readonly id: string; readonly name: string; readonly result: string }) => boolean,
): RehearsalRequest {
  const results = new Map(request.messages.map(({ tool_call_id: id, content }) => [id, content ?? '']));
  const calls = request.messages.flatMap(({ tool_calls: made = [] }) => made);
  const removed = new Set(
    calls
      .filter(({ id, function: { name } }) => isRemoved({ id, name, result: results.get(id) ?? '' }))
      .map(({ id }) => id),
  );
  const messages = request.messages.filter(
    ({ tool_calls: made = [], tool_call_id: id }) =>
      (id === undefined || !removed.has(id)) && !made.some((call) => removed.has(call.id)),
  );
  return { ...request, messages };
}

/** Opens the overview as a person does, and expects that the page is usable. */
export async function openOverview(window: DashboardPage): Promise<void> {
  await window.open('/');
  await window.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await window.page.locator('.badge', { hasText: 'Live' }).waitFor();
}

/** Clicks an entry of the navigation, and waits for its screen. */
export async function goTo({ page }: DashboardPage, name: string, heading = name): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Screens' })
    .getByRole('link', { name: new RegExp(`^${name}`) })
    .click();
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
}

/** Returns the number beside an entry of the navigation; 0 if there is none. */
export async function readCount({ page }: DashboardPage, name: string): Promise<number> {
  const link = page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: new RegExp(`^${name}`) });
  return Number((await link.innerText()).replace(name, '').trim() || 0);
}

/** Waits until the page of a job, which is open, shows this status. */
export async function expectStatus({ page }: DashboardPage, status: string): Promise<void> {
  await expect.poll(() => page.locator('.badge').first().innerText(), { timeout: 60_000 }).toContain(status);
}

/** Returns the id of the job whose page is open. */
export function readJobId({ page }: DashboardPage): JobId {
  const [, jobId] = /\/jobs\/([0-9a-f-]{36})/.exec(page.url()) ?? [];
  expect(jobId).toBeDefined();
  return jobId as JobId;
}

/** Reads the data of all events of some types, in the order of the log. */
export async function readEvents(
  client: PhaselineClient,
  jobId: JobId,
  ...types: readonly string[]
): Promise<readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[]> {
  const { items } = await client.eventPage(jobId, { types: [...types], limit: 200 });
  return items.map(({ type, data }) => ({ type, data: data as Record<string, unknown> }));
}
