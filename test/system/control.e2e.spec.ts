import { userInfo } from 'node:os';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PhaselineClient } from '@phaseline/client';
import { openLocalHome } from '@phaseline/local-stack';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';

/**
 * Control requests over HTTP, through real services. A model server that starts a response and never ends it shows that
 * a cancel reaches the connection, and the content of the next request shows that a message reached the agent.
 */
describe('a person who intervenes', () => {
  let folder: string;
  let stack: RunningStack;
  let client: PhaselineClient;
  let model: Server;
  /** Bodies of the requests to the model server, and the number of those whose caller disconnected. */
  const requestBodies: string[] = [];
  let disconnects = 0;
  /** Ends the response to the latest request with a text and no call. */
  let endResponse: (text: string) => void = () => undefined;

  beforeAll(async () => {
    model = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        if (request.method === 'GET') return void response.writeHead(404).end();
        requestBodies.push(Buffer.concat(pieces).toString());
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': thinking\n\n');
        let ended = false;
        endResponse = (text) => {
          const choice = { index: 0, delta: { role: 'assistant', content: text }, finish_reason: 'stop' };
          ended = true;
          response.end(`data: ${JSON.stringify({ id: 'x', choices: [choice] })}\n\ndata: [DONE]\n\n`);
        };
        response.once('close', () => (disconnects += ended ? 0 : 1));
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
    const home = await openLocalHome(env, folder);
    stack = await startStack({
      home,
      plan: planStack(env, { queueBackend: 'postgres' }),
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

  async function startModelCall(): Promise<string> {
    const before = requestBodies.length;
    const { jobId } = await client.submit({
      agent: 'creator',
      instructions: 'Wait.',
      documents: [{ name: 'a.md', content: 'The service must answer.' }],
    });
    await expect.poll(() => requestBodies.length, { timeout: 60_000 }).toBe(before + 1);
    return jobId;
  }

  it('cancels: the connection to the model is closed, although the response would never end', async () => {
    const jobId = await startModelCall();
    const from = performance.now();
    await client.cancel(jobId, { reason: 'enough' });
    await expect.poll(() => disconnects, { timeout: 60_000, interval: 5 }).toBe(1);
    // Printed, not asserted: docs/reference/reliability-runs.md contains the value for a quiet machine.
    console.info(`the model call ended ${Math.round(performance.now() - from)} ms after the cancel was sent`);
    expect(await client.wait(jobId, { timeoutMs: 60_000 })).toMatchObject({ status: 'cancelled' });
  });

  it('pauses, steers and resumes: the answer is kept, and the next request contains the message', async () => {
    const jobId = await startModelCall();
    expect(await client.control(jobId, 'pause', {})).toMatchObject({ changed: true });
    await client.control(jobId, 'steer', { message: 'Mind the appendix.' });
    endResponse('I stop here.');
    await expect.poll(() => types(jobId), { timeout: 60_000 }).toContain('ModelResponded');
    expect((await client.get(jobId)).status).toBe('paused');
    expect(await client.control(jobId, 'resume', {})).toMatchObject({ changed: true });
    await expect
      .poll(() => requestBodies.some((body) => body.includes('Mind the appendix.')), { timeout: 60_000 })
      .toBe(true);
    await expect(client.control(jobId, 'retry', {})).rejects.toMatchObject({ code: 'request_refused' });
    await client.cancel(jobId);
    expect(await client.wait(jobId, { timeoutMs: 60_000 })).toMatchObject({ status: 'cancelled' });
    const events = (await client.eventPage(jobId, { limit: 500 })).items;
    expect(
      events.filter(({ type }) => /^Job(Paused|Steered|Resumed)$/.test(type)).map(({ data }) => data['actor']),
    ).toEqual(Array.from({ length: 3 }, () => userInfo().username));
  });
});
