import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LiveEvent } from '@phaseline/client';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgentStack, type AgentStack } from './agent-stack.fixture.js';

const agent = `name: talker
displayName: Talker
description: Says what the model server is told to say.
tools: { workspace: [read_file] }
`;

/** Open responses of the model server, in the order of their requests. The spec writes them. */
const responses: ServerResponse[] = [];
let model: Server;
let system: AgentStack;
let listener: pg.Client;
const notifications: string[] = [];

beforeAll(async () => {
  model = createServer((request, response) => {
    if (request.method === 'GET') return void response.writeHead(404).end();
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      responses.push(response);
    });
  });
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  const { port } = model.address() as AddressInfo;
  system = await startAgentStack({ talker: agent }, `http://127.0.0.1:${port}/v1`);
  listener = new pg.Client({ connectionString: system.stack.databaseUrl });
  await listener.connect();
  listener.on('notification', ({ channel }) => notifications.push(channel));
  await listener.query('LISTEN phaseline_answer');
  await listener.query('LISTEN phaseline_watch');
}, 180_000);

afterAll(async () => {
  await listener?.end();
  model?.closeAllConnections();
  await system?.close();
  model?.close();
}, 60_000);

const write = (response: ServerResponse, delta: object, finish: string | null = null): void =>
  void response.write(
    `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
  );
const say = (response: ServerResponse, content: string): void => write(response, { content });
const finish = (response: ServerResponse): void => {
  write(response, {}, 'stop');
  response.end('data: [DONE]\n\n');
};

/** Returns a response of the model server once the request has arrived. */
async function nextResponse(number: number): Promise<ServerResponse> {
  await expect.poll(() => responses.length, { timeout: 60_000 }).toBe(number);
  return responses[number - 1]!;
}

const answersInLog = async (jobId: string) =>
  (await system.client.eventPage(jobId, { types: ['ModelResponded'] })).items.map(({ data }) => data['content']);

it('shows an answer before it is in the log, begins again after a failed attempt, and shows nothing that nobody watches', async () => {
  const unwatched = await system.client.submit({ agent: 'talker' });
  const quiet = await nextResponse(1);
  for (const word of ['nobody ', 'listens']) say(quiet, word);
  finish(quiet);
  // The next call begins after the answer was recorded.
  await nextResponse(2);
  expect(await answersInLog(unwatched.jobId)).toEqual(['nobody listens']);
  expect(notifications).toEqual([]);

  const { jobId } = await system.client.submit({ agent: 'talker' });
  const stop = new AbortController();
  const events: LiveEvent[] = [];
  const following = (async () => {
    for await (const event of system.client.live({ watch: [jobId], signal: stop.signal })) events.push(event);
  })().catch(() => undefined);
  const answers = () => events.filter((event) => event.type === 'answer');
  /** What a reader has on its screen. */
  const shown = () => answers().reduce((text, event) => (event.reset ? event.text : text + event.text), '');

  const first = await nextResponse(3);
  say(first, 'This attempt ');
  say(first, 'will fail.');
  await expect.poll(shown, { timeout: 30_000 }).toBe('This attempt will fail.');
  expect(answers().at(-1)).toMatchObject({ jobId, phase: 1, step: 1, attempt: 1 });
  first.destroy();

  const second = await nextResponse(4);
  await expect.poll(shown, { timeout: 30_000 }).toBe('');
  expect(answers().at(-1)).toMatchObject({ attempt: 2, reset: true, sequence: 0 });
  const text = 'Ünïcödé 🙂 and "quotes"\n'.repeat(100);
  for (let at = 0; at < text.length; at += 777) say(second, text.slice(at, at + 777));
  await expect.poll(shown, { timeout: 30_000 }).toBe(text);
  expect(await answersInLog(jobId)).toEqual([]);
  say(second, 'The end.');
  finish(second);
  await expect
    .poll(() => answers().some((event) => event.attempt === 2 && event.hasEnded), { timeout: 30_000 })
    .toBe(true);
  await nextResponse(5);
  const ended = answers().filter((event) => event.step === 1 && event.attempt === 2);
  expect(ended.map(({ sequence }) => sequence)).toEqual(ended.map((_, index) => index));
  expect(await answersInLog(jobId)).toEqual([ended.map((event) => event.text).join('')]);
  expect(events.some((event) => event.type === 'jobs' && event.jobIds.includes(jobId))).toBe(true);

  // Workers publish until the watch has expired, and nothing after it.
  stop.abort();
  await following;
  const fifth = responses[4]!;
  await new Promise((resolve) => setTimeout(resolve, 16_000));
  notifications.length = 0;
  say(fifth, 'Nobody reads this.');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(notifications).toEqual([]);
}, 240_000);
