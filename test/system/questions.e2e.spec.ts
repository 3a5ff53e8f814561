import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PhaselineClient, type InboxItem } from '@phaseline/client';
import type { CallId, JobId } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import { openLocalHome } from '@phaseline/local-stack';
import { anyAgentPolicy, REHEARSAL_MODEL, startRehearsalServer, type RehearsalServer } from '@phaseline/rehearsal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';
import { askingAgents } from './asking-agents.fixture.js';

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

/** Waits until the job needs a person, and returns what the inbox shows. */
async function waitFor(kind: 'question' | 'approval', jobId: JobId): Promise<InboxItem & { readonly callId: CallId }> {
  let found: InboxItem | undefined;
  await expect
    .poll(
      async () => {
        for await (const item of client.inbox({ jobId })) found = item;
        return found?.kind;
      },
      { timeout: 120_000, interval: 200 },
    )
    .toBe(kind);
  const { callId } = found!;
  return { ...found!, callId: callId! };
}

/** Stops everything, starts it again on the same database, and loses all messages. */
async function restart(): Promise<void> {
  await stack!.stop();
  stack = await start();
  const pool = createPool(stack.databaseUrl, { max: 1, applicationName: 'spec' });
  await pool.query('DELETE FROM bullmq.job');
  await pool.end();
}

const eventsOf = async (jobId: JobId, prefix: RegExp): Promise<readonly string[]> =>
  (await client.eventPage(jobId, { limit: 1_000 })).items.map(({ type }) => type).filter((type) => prefix.test(type));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-questions-'));
  for (const [name, yaml] of Object.entries(askingAgents)) {
    await mkdir(join(folder, 'agents', name), { recursive: true });
    await writeFile(join(folder, 'agents', name, 'agent.yaml'), yaml);
    await writeFile(join(folder, 'agents', name, 'instructions.md'), 'Write the result.\n');
  }
  model = await startRehearsalServer({ policies: [anyAgentPolicy] });
  stack = await start();
}, 180_000);

afterAll(async () => {
  await stack?.stop();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

describe('what is asked at night', () => {
  it('is decided in the morning, after everything was stopped and the queues were emptied', async () => {
    const { jobId } = await client.submit({ agent: 'asker', instructions: 'Write the result.' });
    const { jobId: careful } = await client.submit({ agent: 'careful', instructions: 'Write the result.' });
    const asked = await waitFor('question', jobId);
    const wanted = await waitFor('approval', careful);
    for (const [status, waiting] of [
      ['waiting-for-input', jobId],
      ['waiting-for-approval', careful],
    ] as const) {
      expect((await client.get(waiting)).status).toBe(status);
      expect((await client.listPage({ statuses: [status] })).items.map((job) => job.jobId)).toEqual([waiting]);
    }
    await restart();
    await answerInTheMorning(jobId, asked);
    await approveInTheMorning(careful, wanted);
    for (const job of [jobId, careful])
      expect(await client.wait(job, { timeoutMs: 240_000 })).toMatchObject({ status: 'completed' });
    expect(await eventsOf(jobId, /^Question/)).toEqual(['QuestionAsked', 'QuestionAnswered']);
    expect(await eventsOf(careful, /^(?:Approval|ToolCallAmended)/)).toEqual([
      'ApprovalRequested',
      'ToolCallAmended',
      'ApprovalGranted',
    ]);
    expect(await client.readText(careful, 'output/result.md')).toBe('In the morning.\n');
    for await (const item of client.inbox()) expect.fail(`${item.kind} still waits`);
  }, 600_000);
});

async function answerInTheMorning(jobId: JobId, asked: InboxItem): Promise<void> {
  const { callId, question } = await waitFor('question', jobId);
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
    code: 'already_decided',
  });
}

async function approveInTheMorning(jobId: JobId, wanted: InboxItem): Promise<void> {
  const { callId, approval } = await waitFor('approval', jobId);
  expect(approval).toEqual(wanted.approval);
  expect(approval!.change).toMatchObject({
    path: 'output/result.md',
    patch: expect.stringContaining('+The rehearsal'),
  });
  const { argumentsHash } = approval!;
  await expect(client.control(jobId, 'approve', { callId, argumentsHash: 'a'.repeat(64) })).rejects.toMatchObject({
    code: 'version_mismatch',
  });
  await expect(
    client.control(jobId, 'approve', { callId, argumentsHash, arguments: { path: 7 } }),
  ).rejects.toMatchObject({ code: 'invalid_arguments' });
  const amended = { path: 'output/result.md', content: 'In the morning.\n' };
  await client.control(jobId, 'approve', { callId, argumentsHash, arguments: amended });
  await expect(client.control(jobId, 'refuse', { callId })).rejects.toMatchObject({ code: 'already_decided' });
}
