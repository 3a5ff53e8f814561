import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { problemSchema } from '@phaseline/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';
import { sendToJobs } from '../testing/send-to-jobs.js';

let orchestrator: OrchestratorForSpecs;
let jobId: string;
const holds: Record<string, number> = {};

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  jobId = (await send('/v1/jobs', Buffer.from('{"agent":"writer"}'))).body['jobId'] as string;
  await vi.waitFor(async () => expect((await orchestrator.json('/v1/jobs')).body['items']).toHaveLength(1), {
    timeout: 20_000,
  });
});
afterAll(async () => {
  await orchestrator.stop();
  process.stdout.write(
    `longest time the event loop was blocked, in milliseconds:\n${JSON.stringify(holds, null, 2)}\n`,
  );
});

/**
 * Longest time in milliseconds that one request may block the event loop: more than any legitimate request takes, less
 * than the 9 s that one such body took.
 */
const LONGEST_HOLD_MS = 2_000;
/** Maximum size of a problem document in bytes. */
const MAX_ANSWER_BYTES = 20_000;

interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly body: Record<string, unknown>;
}

function send(
  path: string,
  body: Buffer,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
  method = 'POST',
): Promise<Answer> {
  const { hostname, port } = new URL(orchestrator.url);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { hostname, port, path, method, headers: { ...headers, 'content-length': String(body.byteLength) } },
      (response) => {
        const chunks: Buffer[] = [];
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            const text = Buffer.concat(chunks);
            const parsed = JSON.parse(text.toString()) as Record<string, unknown>;
            resolve({ status: response.statusCode ?? 0, bytes: text.byteLength, body: parsed });
          });
      },
    );
    request.on('error', reject).end(body);
  });
}

async function measureBlocking<T>(name: string, work: () => Promise<T>): Promise<T> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const result = await work();
  await new Promise((resolve) => setTimeout(resolve, 5));
  delay.disable();
  holds[name] = Math.round(delay.max / 1e6);
  expect(holds[name]).toBeLessThan(LONGEST_HOLD_MS);
  return result;
}

const members = (count: number, value = '1'): string =>
  Array.from({ length: count }, (_, index) => `"key-${index}":${value}`).join(',');
const MANY = 300_000;
/** Just below the limit before parsing, and twice the limit for parameters. */
const ALMOST = 19_000;
const deep = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

const bodies: Readonly<Record<string, () => string>> = {
  'parameters of 300,000 keys': () => `{"agent":"writer","parameters":{${members(MANY)}}}`,
  'parameters of 19,000 keys': () => `{"agent":"writer","parameters":{${members(ALMOST)}}}`,
  'labels of 300,000 keys': () => `{"agent":"writer","labels":{${members(MANY, '"v"')}}}`,
  'labels of 19,000 wrong keys': () =>
    `{"agent":"writer","labels":{${members(ALMOST, '1').replaceAll('key', ' key')}}}`,
  '300,000 unknown fields': () => `{"agent":"writer",${members(MANY)}}`,
  '19,000 unknown fields': () => `{"agent":"writer",${members(ALMOST)}}`,
  '300,000 documents': () => `{"agent":"writer","documents":[${Array.from({ length: MANY }, () => '{}').join(',')}]}`,
  '9,000 empty documents': () =>
    `{"agent":"writer","documents":[${Array.from({ length: 9_000 }, () => '{}').join(',')}]}`,
  'an agent name of 4 MB': () => JSON.stringify({ agent: 'x'.repeat(4_000_000) }),
  'a key of 4 MB': () => JSON.stringify({ agent: 'writer', ['k'.repeat(4_000_000)]: 1 }),
  'a label key of 4 MB': () => JSON.stringify({ agent: 'writer', labels: { ['k'.repeat(4_000_000)]: 'v' } }),
  'parameters nested 200,000 deep': () => `{"agent":"writer","parameters":${deep(200_000)}}`,
  'lists nested 4,000,000 deep': () => '['.repeat(4_000_000),
  'parameters of 5 MB of text': () => JSON.stringify({ agent: 'writer', parameters: { text: 'x'.repeat(5_000_000) } }),
  '4 MB of blanks': () => ' '.repeat(4_000_000),
  '4 MB of commas in no JSON': () => ','.repeat(4_000_000),
};

describe('a body of a few megabytes', () => {
  it.each(Object.entries(bodies))('with %s is refused quickly, and nothing is stored', async (name, body) => {
    const before = (await orchestrator.json('/v1/jobs?limit=100')).body['items'] as unknown[];
    const bytes = Buffer.from(body());
    const answer = await measureBlocking(name, () => send('/v1/jobs', bytes));
    expect([400, 413]).toContain(answer.status);
    expect(answer.bytes).toBeLessThan(MAX_ANSWER_BYTES);
    expect(problemSchema.parse(answer.body)).toMatchObject({ status: answer.status });
    expect((await orchestrator.json('/v1/jobs?limit=100')).body['items']).toHaveLength(before.length);
  });

  it.each(['pause', 'resume', 'retry', 'steer', 'approve', 'refuse', 'upgrade', 'cancel', 'erase', 'fork'])(
    'is refused by POST /v1/jobs/:id/%s',
    async (action) => {
      for (const [name, body] of [
        ['300,000 keys', `{${members(MANY)}}`],
        ['19,000 keys', `{${members(ALMOST)}}`],
        ['a text of 4 MB', JSON.stringify({ reason: 'x'.repeat(4_000_000), message: 'y' })],
      ] as const) {
        const answer = await measureBlocking(`${action}: ${name}`, () =>
          send(`/v1/jobs/${jobId}/${action}`, Buffer.from(body)),
        );
        expect([action, name, [400, 413].includes(answer.status)]).toEqual([action, name, true]);
        expect(answer.bytes).toBeLessThan(MAX_ANSWER_BYTES);
      }
    },
  );

  it('is refused by PUT /v1/tenants/:tenant, and by a route without a body', async () => {
    const body = Buffer.from(`{${members(MANY)}}`);
    const json = { 'content-type': 'application/json' };
    expect((await measureBlocking('tenants', () => send('/v1/tenants/acme', body, json, 'PUT'))).status).toBe(413);
    expect((await measureBlocking('nowhere', () => send('/v1/nowhere', body))).status).toBe(413);
    const retry = await measureBlocking('dead-letter retry', () => send('/v1/dead-letters/1/retry', body));
    expect(retry.status).toBe(413);
  });

  it.each(['request', 'parameters', 'labels', 'budgets'])('is refused as the field "%s" of a form', async (field) => {
    const text =
      field === 'request' ? `{"agent":"writer","parameters":{${members(200_000)}}}` : `{${members(200_000)}}`;
    for (const type of ['text/plain', 'application/json']) {
      const boundary = `b-${randomUUID()}`;
      const form =
        `--${boundary}\r\ncontent-disposition: form-data; name="agent"\r\n\r\nwriter\r\n` +
        `--${boundary}\r\ncontent-disposition: form-data; name="${field}"\r\ncontent-type: ${type}\r\n\r\n${text}\r\n--${boundary}--\r\n`;
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
      const answer = await measureBlocking(`form ${field} ${type}`, () => send('/v1/jobs', Buffer.from(form), headers));
      expect([type, answer.status]).toEqual([type, 413]);
      expect(answer.bytes).toBeLessThan(MAX_ANSWER_BYTES);
    }
  });

  it('is accepted when it is legitimate: one large document', async () => {
    const content = Buffer.alloc(32 * 1024 * 1024, 'phaseline ').toString('base64');
    const body = Buffer.from(
      JSON.stringify({ agent: 'writer', documents: [{ name: 'a.bin', contentBase64: content }] }),
    );
    const answer = await measureBlocking('a document of 32 MiB', () => send('/v1/jobs', body));
    expect(answer.status).toBe(201);
  });
});

describe('a query of the maximum length', () => {
  it.each([
    `/v1/jobs?statuses=${'x,'.repeat(6_000)}`,
    `/v1/jobs?${'odd=1&'.repeat(2_500)}`,
    `/v1/jobs?${Array.from({ length: 1_500 }, (_, key) => `k${key}=1`).join('&')}`,
    `/v1/jobs?label=${'a'.repeat(12_000)}`,
  ])('gets a response quickly: %.30s', async (path) => {
    const answer = await measureBlocking(`query ${path.slice(0, 25)}`, () => send(path, Buffer.alloc(0), {}, 'GET'));
    expect(answer.status).toBe(400);
    expect(answer.bytes).toBeLessThan(MAX_ANSWER_BYTES);
  });
});

describe('a message on the jobs queue', () => {
  it('with 300,000 members, or very deep nesting, becomes a dead letter with a short reason', async () => {
    const many = JSON.parse(`{"agent":"writer","parameters":{${members(MANY)}}}`) as unknown;
    await sendToJobs(orchestrator, many, 'many');
    await sendToJobs(orchestrator, JSON.parse(`{"agent":"writer",${members(ALMOST)}}`), 'unknown');
    await sendToJobs(orchestrator, JSON.parse(`{"agent":"writer","parameters":${deep(60)}}`), 'deep');
    const letters = async (): Promise<{ messageId: string; reason: string; payload: unknown }[]> =>
      (await orchestrator.json('/v1/dead-letters?queue=jobs')).body['items'] as never;
    await measureBlocking('three messages', () =>
      expect.poll(async () => (await letters()).length, { timeout: 20_000 }).toBe(3),
    );
    const byId = Object.fromEntries((await letters()).map((letter) => [letter.messageId, letter]));
    expect(byId['many']?.reason).toMatch(/holds more than 20,000 values/);
    expect(byId['deep']?.reason).toMatch(/nested deeper than 40 levels/);
    expect(byId['unknown']?.reason).toMatch(/Unrecognized keys/);
    for (const { reason } of Object.values(byId)) expect(reason.length).toBeLessThan(2_100);
    const page = await (await orchestrator.fetch('/v1/dead-letters?queue=jobs')).text();
    expect(page.length).toBeLessThan(100_000);
  });
});
