import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PhaselineClient, type InboxItem } from '@phaseline/client';
import { createPool } from '@phaseline/event-store';
import { openLocalHome } from '@phaseline/local-stack';
import { anyAgentPolicy, REHEARSAL_MODEL, startRehearsalServer, type RehearsalServer } from '@phaseline/rehearsal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';

const AGENT = `name: asker
displayName: Asker
description: Asks a person which colour the result should have.
tools:
  workspace: [read_file, write_file, append_file]
  domain: [ask_person]
deliverables: [output/result.md]
`;

let folder: string;
let model: RehearsalServer;
let stack: RunningStack | undefined;
let client: PhaselineClient;

/** Starts all services on the same database as before. */
async function start(): Promise<RunningStack> {
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    PHASELINE_HOME: join(folder, 'home'),
    PHASELINE_AGENTS_DIR: join(folder, 'agents'),
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'test',
    PHASELINE_MODEL: REHEARSAL_MODEL,
  };
  const started = await startStack({
    home: await openLocalHome(env, folder),
    plan: planStack(env, { queueBackend: 'postgres' }),
    env,
    signal: new AbortController().signal,
  });
  const { apiUrl: baseUrl, apiKey } = started;
  client = new PhaselineClient({ baseUrl, ...(apiKey === undefined ? {} : { apiKey }) });
  return started;
}

/** Waits until the job asks, and returns the question as the inbox shows it. */
async function waitForQuestion(jobId: string): Promise<InboxItem> {
  let found: InboxItem | undefined;
  await expect
    .poll(
      async () => {
        for await (const item of client.inbox({ jobId })) found = item;
        return found?.kind;
      },
      { timeout: 120_000, interval: 200 },
    )
    .toBe('question');
  return found!;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-questions-'));
  await mkdir(join(folder, 'agents/asker'), { recursive: true });
  await writeFile(join(folder, 'agents/asker/agent.yaml'), AGENT);
  await writeFile(join(folder, 'agents/asker/instructions.md'), 'Ask, then write the result.\n');
  model = await startRehearsalServer({ policies: [anyAgentPolicy] });
  stack = await start();
}, 180_000);

afterAll(async () => {
  await stack?.stop();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

describe('a question that is asked at night', () => {
  it('is answered in the morning, after everything was stopped and the queues were emptied', async () => {
    const { jobId } = await client.submit({ agent: 'asker', instructions: 'Write the result.' });
    const asked = await waitForQuestion(jobId);
    expect((await client.get(jobId)).status).toBe('waiting-for-input');
    expect((await client.listPage({ statuses: ['waiting-for-input'] })).items.map((job) => job.jobId)).toEqual([jobId]);
    await stack!.stop();
    stack = await start();
    const pool = createPool(stack.databaseUrl, { max: 1, applicationName: 'spec' });
    await pool.query('DELETE FROM bullmq.job');
    await pool.end();
    const { callId, question } = await waitForQuestion(jobId);
    expect(question).toEqual(asked.question);
    const { questionHash, options } = question!;
    expect(options).toEqual(['red', 'green']);
    await expect(
      client.control(jobId, 'answer', { callId, questionHash: 'a'.repeat(64), answer: 'green' }),
    ).rejects.toMatchObject({ code: 'version_mismatch' });
    await expect(client.control(jobId, 'answer', { callId, questionHash, answer: 'blue' })).rejects.toMatchObject({
      code: 'invalid_answer',
    });
    await client.control(jobId, 'answer', { callId, questionHash, answer: 'green' });
    await expect(client.control(jobId, 'answer', { callId, questionHash, answer: 'red' })).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:already_decided|not_waiting)$/),
    });
    expect(await client.wait(jobId, { timeoutMs: 240_000 })).toMatchObject({ status: 'completed' });
    const events = (await client.eventPage(jobId, { limit: 1_000 })).items.filter(({ type }) =>
      type.startsWith('Question'),
    );
    expect(events.map(({ type }) => type)).toEqual(['QuestionAsked', 'QuestionAnswered']);
    for await (const item of client.inbox({ jobId })) expect.fail(`${item.kind} still waits`);
  }, 600_000);
});
