import type { JobId } from '@phaseline/contracts';
import { anyAgentPolicy, type RehearsalPolicy } from '@phaseline/rehearsal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardPage } from './browser.fixture.js';
import { startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

const BLOCKER = `name: blocker
displayName: Blocker
description: Cannot do its first todo, and asks a person.
tools:
  workspace: [read_file, write_file, append_file]
  tactical: [todo_complete, block_todo]
  domain: [ask_person]
deliverables: [output/result.md]
`;

const STOPPER = `name: stopper
displayName: Stopper
description: Finds that its task is impossible.
workflow: stopping
tools: { workspace: [read_file] }
returns: { schema: schemas/return.json }
`;

const STOPPING = `name: stopping
version: 1
start: work
states:
  work:
    kind: strategic
    agent: stopper
    title: Work
    todos: [Look, Think, Write]
    finish: done
    outcomes:
      done: { end: completed }
      impossible: { end: blocked, when: returned, early: true, code: task_impossible, items: /defects }
`;

const isPlayedBy = (agent: string): RehearsalPolicy['matches'] => {
  return ({ messages }) => messages.some(({ content }) => content?.startsWith(`You are the agent "${agent}"`) ?? false);
};

/** Blocks the first todo of each tactical phase, then plays any agent. */
const blocking: RehearsalPolicy = {
  name: 'blocking',
  matches: isPlayedBy('blocker'),
  answer: (request) => {
    const hasBlocked = request.messages.some(({ tool_calls: calls }) =>
      calls?.some((call) => call.function.name === 'block_todo'),
    );
    if (hasBlocked || !request.toolNames.includes('block_todo')) return anyAgentPolicy.answer(request);
    return { calls: [{ name: 'block_todo', arguments: { reason: 'The price list is missing.' } }] };
  },
};

const stopping: RehearsalPolicy = {
  name: 'stopping',
  matches: isPlayedBy('stopper'),
  answer: () => {
    const result = { defects: [{ id: 'f1', reason: 'There is no compiler.' }] };
    return { calls: [{ name: 'phase_return', arguments: { outcome: 'impossible', result } }] };
  },
};

let system: DashboardSystem;
let window: DashboardPage;
let approval: JobId;
let question: JobId;
beforeAll(async () => {
  system = await startDashboardSystem({
    agents: { blocker: BLOCKER, stopper: STOPPER },
    files: {
      'workflows/stopping.yaml': STOPPING,
      'agents/stopper/schemas/return.json': '{ "type": "object" }\n',
    },
    policies: [blocking, stopping],
  });
  approval = await system.runJob('careful', 'waiting', { team: 'legal' });
  question = await system.runJob('asker', 'waiting');
  await system.runJob('blocker', 'waiting');
  const { jobId } = await system.client.submit({ agent: 'stopper' });
  await system.client.wait(jobId);
  window = await system.browser.openWindow();
}, 120_000);
afterAll(() => system.close());

const list = () => window.page.getByRole('listbox', { name: 'What waits for a person' });
const options = () => list().getByRole('option');

describe('the inbox', () => {
  it('lists what waits, oldest first, and shows the oldest entry', async () => {
    const { page } = window;
    await window.open('/inbox');
    await expect.poll(() => options().allInnerTexts()).toHaveLength(5);
    const texts = await options().allInnerTexts();
    expect(texts.map((text) => text.split('\n').slice(0, 3).join(' '))).toEqual([
      expect.stringMatching(/Approval.*careful/),
      expect.stringMatching(/Question.*asker/),
      expect.stringMatching(/Blocked todo.*blocker/),
      expect.stringMatching(/Question.*blocker/),
      expect.stringMatching(/Blocked job.*stopper/),
    ]);
    const detail = page.getByRole('article');
    await detail.getByRole('heading', { name: 'careful wants to call write_file' }).waitFor();
    expect(await detail.getByRole('link', { name: approval }).getAttribute('href')).toBe(`/jobs/${approval}`);
    expect(await detail.innerText()).toContain('team=legal');
    const change = detail.getByRole('region', { name: 'Change of output/result.md' });
    expect(await change.innerText()).toContain('The rehearsal model wrote this placeholder.');
    await window.expectAccessible();
    await window.takePicture('inbox');
  });

  it('is operated with the keyboard', async () => {
    const { page } = window;
    await list().focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('heading', { name: 'asker asks' }).waitFor();
    expect(page.url()).toContain('entry=');
    await page.keyboard.press('End');
    await page.getByRole('heading', { name: 'A job of stopper is blocked' }).waitFor();
    expect(await page.getByRole('article').innerText()).toContain('There is no compiler.');
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'blocker asks' }).waitFor();
    await window.expectAccessible();
    await page.keyboard.press('Home');
    await page.getByRole('heading', { name: 'careful wants to call write_file' }).waitFor();
  });

  it('shows a part by kind and agent', async () => {
    const { page } = window;
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('question');
    await expect.poll(() => options().count()).toBe(2);
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('asker');
    await expect.poll(() => options().count()).toBe(1);
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('approval');
    await page.getByText('Nothing that the filter selects waits for a person.').waitFor();
    await page.getByRole('button', { name: 'Show everything' }).click();
    await expect.poll(() => options().count()).toBe(5);
  });

  it('approves a call with changed arguments, and shows the difference first', async () => {
    const { page } = window;
    await options().first().click();
    await page.getByRole('button', { name: 'Change and approve…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the arguments of write_file' });
    const approve = dialog.getByRole('button', { name: 'Approve with these arguments' });
    expect(await approve.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Edit as JSON' }).click();
    await dialog.getByRole('textbox', { name: 'Arguments as JSON' }).fill('{');
    await dialog.getByText(/This is not JSON/).waitFor();
    await dialog.getByRole('textbox', { name: 'Arguments as JSON' }).fill(JSON.stringify({ path: 'output/result.md' }));
    await approve.click();
    await dialog
      .getByRole('alert')
      .getByText(/content/)
      .waitFor();
    await dialog
      .getByRole('textbox', { name: 'Arguments as JSON' })
      .fill(JSON.stringify({ path: 'output/result.md', content: 'Blue, as agreed.\n' }));
    await dialog.getByRole('button', { name: 'Edit as fields' }).click();
    await dialog.getByRole('textbox', { name: 'content' }).fill('Blue, as agreed with legal.\n');
    const difference = dialog.getByRole('region', { name: 'Your change' });
    await expect.poll(() => difference.innerText()).toContain('Blue, as agreed with legal.');
    await window.expectAccessible();
    await window.takePicture('inbox-amend');
    await approve.click();
    await page.getByText('You approved the call of careful with other arguments. It runs now.').waitFor();
    await page.getByRole('heading', { name: 'asker asks' }).waitFor();
    await expect.poll(async () => (await system.client.get(approval)).status, { timeout: 30_000 }).toBe('completed');
    expect(await system.client.readText(approval, 'output/result.md')).toBe('Blue, as agreed with legal.\n');
  });

  it('explains that another person was faster', async () => {
    const { page } = window;
    const other = await system.browser.openWindow();
    await other.open('/inbox?kind=question&agent=asker');
    await other.page.getByRole('radio', { name: 'green' }).check();
    await page.getByRole('radio', { name: 'red' }).check();
    // Both pages show the question while the first answer arrives: this one does not read the inbox again before it answers.
    await page.route('**/v1/inbox*', (route) => route.abort());
    await other.page.getByRole('button', { name: 'Answer' }).click();
    await other.page.getByText('You answered asker. The job continues.').waitFor();
    await page.getByRole('button', { name: 'Answer' }).click();
    await page.getByText(/Not done\. (?:Somebody else was faster|It does not wait any more)/).waitFor();
    await page.unroute('**/v1/inbox*');
    await expect.poll(() => options().count()).toBe(3);
    await expect.poll(async () => (await system.client.get(question)).status, { timeout: 30_000 }).toBe('completed');
    expect(other.problems).toEqual([]);
    await other.page.close();
  });

  it('tells an agent what has changed, answers it, and retries a blocked job', async () => {
    const { page } = window;
    await window.open('/inbox?kind=blocked-todo');
    await page.getByText('The price list is missing.').waitFor();
    await page.getByRole('textbox', { name: 'Tell the agent' }).fill('It is in documents/prices.csv.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/blocker reads your message before its next step/).waitFor();
    await window.open('/inbox?kind=blocked-job');
    await page.getByRole('textbox', { name: /Tell the agent/ }).fill('There is a compiler now.');
    await page.getByRole('textbox', { name: /New cost limit/ }).fill('-1');
    await page.getByText('Expected a number above 0.').waitFor();
    await page.getByRole('textbox', { name: /New cost limit/ }).fill('2.5');
    await page.getByRole('button', { name: 'Retry the job' }).click();
    await page.getByText(/The job of stopper continues/).waitFor();
  });

  it('can be read on a small screen: the list, then one entry', async () => {
    const { page } = window;
    await page.setViewportSize({ width: 420, height: 800 });
    await window.open('/inbox?kind=question');
    expect(await page.getByRole('article').isVisible()).toBe(false);
    await options().first().click();
    await page.getByRole('article').waitFor();
    await expect.poll(() => list().isVisible()).toBe(false);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBe(420);
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await list().waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('refuses a call with a reason, and says when nothing waits', async () => {
    const { page } = window;
    const jobId = await system.runJob('careful', 'waiting');
    await window.open('/inbox?kind=approval');
    await page.getByRole('button', { name: 'Refuse…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Reason, which the agent reads' }).fill('Not this file.');
    await window.expectAccessible();
    await dialog.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('You refused the call of careful. The agent reads the reason.').waitFor();
    const refusals = await system.client.eventPage(jobId, { types: ['ApprovalRefused'] });
    expect(refusals.items.map(({ data }) => (data as { reason?: string }).reason)).toEqual(['Not this file.']);
  });

  it('caused no error in the browser', () => {
    expect(window.problems).toEqual([]);
  });
});
