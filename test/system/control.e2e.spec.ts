import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PhaselineClient } from '../../libs/client/src/index.js';
import { localHome } from '../../libs/local-stack/src/index.js';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';

/*
 * What people ask of a job, over HTTP and through real services: a model server that begins to answer and never ends
 * shows that a cancel reaches the connection, and what the next request says shows that a message reached the agent.
 */
describe('a person who steps in', () => {
  let folder: string;
  let stack: RunningStack;
  let client: PhaselineClient;
  let model: Server;
  /** Bodies of the requests that the model server got, and how many of them were hung up on. */
  const asked: string[] = [];
  let hungUp = 0;
  /** Ends the answer to the latest request, with these words and no call. */
  let say: (words: string) => void = () => undefined;

  beforeAll(async () => {
    model = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        if (request.method === 'GET') return void response.writeHead(404).end();
        asked.push(Buffer.concat(pieces).toString());
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': thinking\n\n');
        let ended = false;
        say = (words) => {
          const choice = { index: 0, delta: { role: 'assistant', content: words }, finish_reason: 'stop' };
          ended = true;
          response.end(`data: ${JSON.stringify({ id: 'x', choices: [choice] })}\n\ndata: [DONE]\n\n`);
        };
        response.once('close', () => (hungUp += ended ? 0 : 1));
      });
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    folder = await mkdtemp(join(tmpdir(), 'phaseline-control-'));
    const { PATH, HOME } = process.env;
    const env = {
      PATH,
      HOME,
      PHASELINE_HOME: join(folder, 'home'),
      OPENAI_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
      OPENAI_API_KEY: 'test',
    };
    const home = await localHome(env, folder);
    stack = await startStack({
      home,
      plan: planStack(env, { queue: 'postgres' }),
      env,
      signal: new AbortController().signal,
    });
    client = new PhaselineClient({
      baseUrl: stack.apiUrl,
      ...(stack.apiKey === undefined ? {} : { apiKey: stack.apiKey }),
    });
  }, 120_000);

  afterAll(async () => {
    await stack?.stop();
    model?.closeAllConnections();
    model?.close();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  async function types(jobId: string): Promise<readonly string[]> {
    return (await client.eventPage(jobId, { limit: 500 })).items.map(({ type }) => type);
  }

  async function callUnderWay(): Promise<string> {
    const before = asked.length;
    const { jobId } = await client.submit({
      agent: 'creator',
      instructions: 'Wait.',
      documents: [{ name: 'a.md', content: 'The service must answer.' }],
    });
    await expect.poll(() => asked.length, { timeout: 60_000 }).toBe(before + 1);
    return jobId;
  }

  it('cancels: the connection to the model is closed, although its answer would never end', async () => {
    const jobId = await callUnderWay();
    const from = performance.now();
    await client.cancel(jobId, { actor: 'ada', reason: 'enough' });
    await expect.poll(() => hungUp, { timeout: 60_000, interval: 5 }).toBe(1);
    // Said, not asserted: docs/reliability.md holds the figure of a quiet machine.
    console.info(`the model call ended ${Math.round(performance.now() - from)} ms after the cancel was sent`);
    expect(await client.wait(jobId, { timeoutMs: 60_000 })).toMatchObject({ status: 'cancelled' });
  });

  it('pauses, steers and resumes: the answer is kept, and the message is in the next request', async () => {
    const jobId = await callUnderWay();
    expect(await client.control(jobId, 'pause', { actor: 'ada' })).toMatchObject({ changed: true });
    await client.control(jobId, 'steer', { actor: 'ada', message: 'Mind the appendix.' });
    say('I stop here.');
    await expect.poll(() => types(jobId), { timeout: 60_000 }).toContain('ModelResponded');
    expect((await client.get(jobId)).status).toBe('paused');
    expect(await client.control(jobId, 'resume', { actor: 'ada' })).toMatchObject({ changed: true });
    await expect.poll(() => asked.some((body) => body.includes('Mind the appendix.')), { timeout: 60_000 }).toBe(true);
    await expect(client.control(jobId, 'retry', {})).rejects.toMatchObject({ code: 'request_refused' });
    await client.cancel(jobId);
    expect(await client.wait(jobId, { timeoutMs: 60_000 })).toMatchObject({ status: 'cancelled' });
    const events = (await client.eventPage(jobId, { limit: 500 })).items;
    expect(
      events.filter(({ type }) => /^Job(Paused|Steered|Resumed)$/.test(type)).map(({ data }) => data['actor']),
    ).toEqual(['ada', 'ada', 'ada']);
  });
});
