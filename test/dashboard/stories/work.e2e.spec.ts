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

const READER = `name: reader
displayName: Reader
description: Reads a document about a region, and writes what it found.
tools:
  workspace: [read_file, write_file, append_file]
requires: { documents: 1, instructions: true, parameters: [region] }
budgets: { maxCostUsd: 5 }
deliverables: [output/result.md]
`;

const EDITOR = `name: editor
displayName: Editor
description: Writes a result that a person has to approve, and follows the reasons of refusals.
tools:
  workspace: [read_file, write_file, append_file]
approvals: { tools: [write_file] }
deliverables: [output/result.md]
`;

const REASON = 'Name the source of the colour.';

/** Writes a short result. When a person refuses it, writes another one, which repeats the reason. */
const editing: RehearsalPolicy = {
  name: 'editing',
  matches: isPlayedBy('editor'),
  answer: (request) => {
    // The todo list may come after the last result.
    const isRefused = request.messages.findLast(({ role }) => role === 'tool')?.content?.includes(REASON) === true;
    const answer = anyAgentPolicy.answer(withoutCalls(request, ({ result }) => result.includes(REASON)));
    if (answer.calls?.[0]?.name !== 'write_file') return answer;
    const content = isRefused ? `Blue. ${REASON} It is the note.\n` : 'Blue.\n';
    return { ...answer, calls: [{ name: 'write_file', arguments: { path: 'output/result.md', content } }] };
  },
};

let system: DashboardSystem;
let window: DashboardPage;
beforeAll(async () => {
  system = await startDashboardSystem({
    agents: { reader: READER, editor: EDITOR },
    policies: [editing],
  });
  window = await system.browser.openWindow();
}, 120_000);
afterAll(() => system?.close(), 60_000);

describe('from the dashboard alone, a person', () => {
  it('submits a job, repairs what was refused, and watches it until its result', async () => {
    const { page } = window;
    await openOverview(window);
    await goTo(window, 'Submit', 'Submit a job');
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('reader');
    await page.getByText('at least 1 document, instructions, the parameter region').waitFor();
    await page.getByRole('textbox', { name: 'Instructions' }).fill('Only chapter 3.');
    await page.getByRole('textbox', { name: 'Parameter region' }).fill('EU');
    await page.getByLabel('Files', { exact: true }).setInputFiles({
      ...{ name: 'spec.md', mimeType: 'text/markdown', buffer: Buffer.from('# Spec\n\nThe report must be blue.\n') },
    });
    await page.getByRole('textbox', { name: 'Name of the document spec.md' }).fill('../spec.md');
    await page.getByRole('textbox', { name: 'Cost in US dollars' }).fill('2.5');
    await page.getByRole('textbox', { name: 'Labels' }).fill('story=submit');
    const submit = page.getByRole('button', { name: 'Submit', exact: true });
    await submit.click();
    await page.getByRole('alert').getByText('expected a file name').waitFor();
    await window.expectAccessible();
    await page.getByRole('textbox', { name: 'Name of the document ../spec.md' }).fill('spec.md');
    await submit.click();

    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}/);
    const jobId = readJobId(window);
    await page.evaluate('window.isSameDocument = true');
    await expectStatus(window, 'running');
    await window.expectAccessible();
    await expectStatus(window, 'completed');
    await page.getByRole('row', { name: /JobCompleted/ }).waitFor();
    const details = page.getByRole('tabpanel');
    // Its result, and the file that it delivers.
    await details.getByText('each deliverable was written as a placeholder', { exact: false }).first().waitFor();
    await page.getByRole('tab', { name: 'Files' }).click();
    await details.getByRole('button', { name: 'output/result.md' }).click();
    const file = page.getByRole('dialog', { name: 'output/result.md' });
    await file.getByRole('tab', { name: 'Content' }).click();
    await file.getByText('The rehearsal model wrote this placeholder.', { exact: false }).waitFor();
    await file.getByRole('button', { name: 'Close' }).click();
    expect(await page.evaluate('window.isSameDocument')).toBe(true);

    const [submitted] = await readEvents(system.client, jobId, 'JobSubmitted');
    expect(submitted?.data).toMatchObject({
      ...{ labels: { story: 'submit' }, parameters: { region: 'EU' }, budgets: { maxCostUsd: 2.5 } },
    });
    expect(await readEvents(system.client, jobId, 'JobCompleted')).toHaveLength(1);
    expect(await system.client.readText(jobId, 'documents/spec.md')).toBe('# Spec\n\nThe report must be blue.\n');
    // The refused attempts created no job.
    expect((await system.client.listPage({ label: 'story=submit' })).items).toHaveLength(1);
  });

  it('answers a question, and the job continues', async () => {
    const { page } = window;
    const jobId = await system.runJob('asker', 'waiting', { story: 'answer' });
    await openOverview(window);
    const figure = page.locator('.figure', { hasText: 'Waits for a person' });
    await expect.poll(() => figure.locator('.figure-value').innerText()).toBe('1');
    expect(await readCount(window, 'Inbox')).toBe(1);
    await figure.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'asker asks' }).waitFor();
    await page.getByText('which colour should the result have?', { exact: false }).first().waitFor();
    await window.expectAccessible();
    await page.getByRole('radio', { name: 'green' }).check();
    await page.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('You answered asker. The job continues.').waitFor();
    await expect.poll(() => readCount(window, 'Inbox')).toBe(0);
    await goTo(window, 'Jobs');
    await page.getByRole('link', { name: `asker ${jobId.slice(0, 8)}` }).click();
    await expectStatus(window, 'completed');
    const [answered] = await readEvents(system.client, jobId, 'QuestionAnswered');
    expect(answered?.data).toMatchObject({ answer: 'green' });
  });

  it('refuses a call with a reason, which the agent receives, and approves the next one with a reason', async () => {
    const { page } = window;
    const jobId = await system.runJob('editor', 'waiting', { story: 'refuse' });
    await openOverview(window);
    await goTo(window, 'Inbox');
    const change = page.getByRole('region', { name: 'Change of output/result.md' });
    await expect.poll(() => change.innerText()).toContain('Blue.');
    await page.getByRole('button', { name: 'Refuse…' }).click();
    await page.getByRole('textbox', { name: 'Reason, which the agent reads' }).fill(REASON);
    await window.expectAccessible();
    await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('You refused the call of editor. The agent reads the reason.').waitFor();

    // The agent has read the reason: its next call repeats it.
    await expect.poll(() => change.innerText(), { timeout: 30_000 }).toContain(REASON);
    await page.getByRole('textbox', { name: /^Reason for approving/ }).fill('It names the note.');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('You approved the call of editor. It runs now.').waitFor();
    await goTo(window, 'Jobs');
    await page.getByRole('link', { name: `editor ${jobId.slice(0, 8)}` }).click();
    await expectStatus(window, 'completed');

    const decisions = await readEvents(system.client, jobId, 'ApprovalRefused', 'ApprovalGranted');
    expect(decisions.map(({ type, data }) => [type, data['reason']])).toEqual([
      ['ApprovalRefused', REASON],
      ['ApprovalGranted', 'It names the note.'],
    ]);
    expect(await system.client.readText(jobId, 'output/result.md')).toBe(`Blue. ${REASON} It is the note.\n`);
  });

  it('approves a call with other arguments, and the file has exactly the approved text', async () => {
    const { page } = window;
    const jobId = await system.runJob('editor', 'waiting', { story: 'amend' });
    await openOverview(window);
    await goTo(window, 'Inbox');
    await page.getByRole('heading', { name: 'editor wants to call write_file' }).waitFor();
    await page.getByRole('button', { name: 'Change and approve…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the arguments of write_file' });
    await dialog.getByRole('textbox', { name: 'content' }).fill('Blue, as agreed with legal.\n');
    const difference = dialog.getByRole('region', { name: 'Your change' });
    await expect.poll(() => difference.innerText()).toContain('Blue, as agreed with legal.');
    await window.expectAccessible();
    await dialog.getByRole('button', { name: 'Approve with these arguments' }).click();
    await page.getByText('You approved the call of editor with other arguments. It runs now.').waitFor();
    await goTo(window, 'Jobs');
    await page.getByRole('link', { name: `editor ${jobId.slice(0, 8)}` }).click();
    await expectStatus(window, 'completed');

    const [amended] = await readEvents(system.client, jobId, 'ToolCallAmended');
    expect(amended?.data['arguments']).toEqual({ path: 'output/result.md', content: 'Blue, as agreed with legal.\n' });
    expect(await system.client.readText(jobId, 'output/result.md')).toBe('Blue, as agreed with legal.\n');
  });

  it('forks a job from a bad answer, and compares both', async () => {
    const { page } = window;
    const jobId = await system.runJob('writer', 'completed', { story: 'fork' });
    await openOverview(window);
    await goTo(window, 'Jobs');
    await page.getByRole('link', { name: `writer ${jobId.slice(0, 8)}` }).click();
    await expectStatus(window, 'completed');

    // The bad answer is the one that wrote the result. A person scrolls back from the end to it.
    const events = page.getByRole('table', { name: 'Events' });
    const bad = events.getByRole('row', { name: /ModelResponded .*write_file/ }).last();
    await events.hover();
    await expect
      .poll(async () => {
        if ((await bad.count()) === 0) await page.mouse.wheel(0, -400);
        return bad.count();
      })
      .toBeGreaterThan(0);
    await bad.click();
    await page.getByText(/^Event [\d,]+ of .* · ModelResponded$/).waitFor();
    await page.getByRole('button', { name: 'Fork here' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fork the job' });
    await dialog.getByText('The slider is at an answer of the model', { exact: false }).waitFor();
    await dialog.getByLabel('Edit this answer of the model').check();
    const calls = dialog.getByLabel('Calls of the answer');
    await expect.poll(() => calls.inputValue()).toContain('The rehearsal model wrote this placeholder');
    await calls.fill(
      JSON.stringify([
        { name: 'write_file', arguments: { path: 'output/result.md', content: 'The report is blue.\n' } },
      ]),
    );
    await window.expectAccessible();
    await dialog.getByRole('button', { name: 'Fork and compare' }).click();

    await page.getByRole('heading', { name: /^Compare/ }).waitFor();
    await page
      .getByRole('region', { name: 'First difference', exact: true })
      .getByText('The report is blue.')
      .waitFor();
    const both = page.getByRole('region', { name: 'Both jobs' });
    await expect.poll(() => both.getByText('completed').count(), { timeout: 60_000 }).toBe(2);
    await page.getByRole('button', { name: 'output/result.md' }).click();
    const differences = page.getByRole('region', { name: 'Differences of output/result.md' });
    await expect.poll(() => differences.innerText()).toContain('The report is blue.');
    await window.expectAccessible();

    const forkId = page.url().split('/').at(-1) as typeof jobId;
    const [forked] = await readEvents(system.client, forkId, 'JobForked');
    expect(forked?.data).toMatchObject({ parent: { jobId }, mode: 'live' });
    expect(await system.client.readText(forkId, 'output/result.md')).toBe('The report is blue.\n');
    expect(await system.client.readText(jobId, 'output/result.md')).toContain('placeholder');
  });

  it('meets no error of the pages', () => {
    expect(window.problems).toEqual([]);
  });
});
