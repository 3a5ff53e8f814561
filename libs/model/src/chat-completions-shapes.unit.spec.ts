import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChatAnswer, ChatRequest, TokenUsage, ToolDefinition } from '@phaseline/contracts';
import type { JsonObject } from '@phaseline/basics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatModel } from './chat-model.js';
import { ModelError } from './model-error.js';
import { createOpenAiModel } from './openai-model.js';
import { modelProfileSchema } from './profile/model-profile.js';

interface Shape {
  readonly file: string;
  readonly server: string;
  readonly shows: string;
  readonly profile?: JsonObject;
  readonly answer?: Omit<ChatAnswer, 'calls' | 'usage'> & {
    readonly calls: readonly { name: string; arguments?: JsonObject; malformed?: string; id?: string }[];
    readonly usage: TokenUsage | 'estimated';
  };
  readonly error?: { readonly code: string };
}

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const FIXTURES = new URL('../fixtures/', import.meta.url);
const shapes = JSON.parse(readFileSync(new URL('shapes.json', FIXTURES), 'utf8')) as Shape[];
const bytesOf = (shape: Shape): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(new URL(shape.file, FIXTURES)));
const isStream = (shape: Shape): boolean => shape.file.endsWith('.sse');
const named = shapes.map((shape): [string, Shape] => [`${shape.file}: ${shape.shows} (${shape.server})`, shape]);

const tool = (name: string, ...parameters: string[]): ToolDefinition => ({
  name,
  description: name,
  parameters: { type: 'object', properties: Object.fromEntries(parameters.map((key) => [key, { type: 'string' }])) },
});
const request: ChatRequest = {
  messages: [{ role: 'user', content: 'Read the files.' }],
  tools: [tool('read_file', 'path'), tool('write_file', 'path', 'content'), tool('list_files', 'glob')],
};

/** Sets up the client for a shape. The returned function sends a call that the given transport answers. */
function callWithShape(shape: Shape): (transport: Fetch) => Promise<ChatAnswer> {
  let transport: Fetch;
  const model = modelFor(shape, { baseUrl: 'http://127.0.0.1:9/v1', fetch: (...call) => transport(...call) });
  return (next) => {
    transport = next;
    return model.complete(request, { signal: new AbortController().signal });
  };
}

function modelFor(shape: Shape, endpoint: { baseUrl: string; fetch?: Fetch }): ChatModel {
  return createOpenAiModel({
    apiKey: 'key-for-a-test',
    ...endpoint,
    profile: modelProfileSchema.parse({
      name: 'test',
      model: 'm',
      streaming: isStream(shape),
      retries: { attempts: 1 },
      ...shape.profile,
    }),
    countTokens: (text) => Math.ceil(text.length / 4),
  });
}

/** Transport whose body consists of these pieces, each read separately, followed by the error, if any. */
function respondWith(pieces: readonly Uint8Array[], error?: Error): Fetch {
  const remaining = pieces.filter((piece) => piece.length > 0);
  return async () =>
    new Response(
      new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            const piece = remaining.shift();
            if (piece) controller.enqueue(piece);
            else if (error) controller.error(error);
            else controller.close();
          },
        },
        { highWaterMark: 0 },
      ),
      { headers: { 'content-type': 'text/event-stream' } },
    );
}

async function expectShape(shape: Shape, outcome: Promise<ChatAnswer>): Promise<void> {
  if (shape.error) {
    const error = await outcome.then(
      (answer) => expect.fail(`answered ${JSON.stringify(answer)}`),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject(shape.error);
    return;
  }
  expectAnswer(shape, await outcome);
}

function expectAnswer(shape: Shape, answer: ChatAnswer, usage = shape.answer!.usage): void {
  const expected = shape.answer!;
  expect({
    content: answer.content,
    reasoning: answer.reasoning,
    end: answer.end,
    calls: answer.calls.map((call, index) => ({
      name: call.name,
      ...(call.arguments.kind === 'parsed' ? { arguments: call.arguments.value } : { malformed: call.arguments.text }),
      ...(expected.calls[index]?.id === undefined ? {} : { id: call.id }),
    })),
    usage: comparableUsage(answer),
  }).toEqual({ reasoning: undefined, ...expected, usage });
  if (answer.usage.estimated) expect(Math.min(answer.usage.inputTokens, answer.usage.outputTokens)).toBeGreaterThan(0);
  const ids = answer.calls.map((call) => call.id);
  expect(ids).not.toContain('');
  expect(new Set(ids).size).toBe(ids.length);
}

function comparableUsage({ usage }: ChatAnswer): TokenUsage | 'estimated' {
  return usage.estimated ? 'estimated' : usage;
}

/** Offsets at which the events of a stream end. */
function findEventEnds(bytes: Uint8Array): readonly number[] {
  const text = Buffer.from(bytes).toString('latin1');
  return [...text.matchAll(/\r?\n\r?\n/g)].map((match) => match.index + match[0].length);
}

/** Whether the beginning of a body contains a marker that the answer is complete. */
function isMarkedAsEnded(shape: Shape, bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('utf8');
  if (!isStream(shape)) return isJson(text);
  return text.split(/\r?\n\r?\n/).some((event) => {
    const data = event
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith('data:') ? line.slice(5) : []))
      .join('\n')
      .trim();
    if (data === '[DONE]') return true;
    if (!isJson(data)) return false;
    const chunk = JSON.parse(data) as { choices?: { finish_reason?: string }[]; usage?: object } | null;
    if (chunk?.choices?.[0]) return typeof chunk.choices[0].finish_reason === 'string';
    return Boolean(chunk?.usage);
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('every response shape', () => {
  it.each(named)('%s', async (_, shape) => {
    await expectShape(shape, callWithShape(shape)(respondWith([bytesOf(shape)])));
  });

  it('has its own fixture file', () => {
    expect(shapes.length).toBeGreaterThan(70);
    expect(new Set(shapes.map((shape) => shape.file)).size).toBe(shapes.length);
  });
});

describe('body in two pieces, cut at every byte', () => {
  it.each(named)('%s', async (_, shape) => {
    const callModel = callWithShape(shape);
    const bytes = bytesOf(shape);
    for (let at = 1; at < bytes.length; at++) {
      await expectShape(shape, callModel(respondWith([bytes.slice(0, at), bytes.slice(at)])));
    }
  });
});

describe('body byte by byte', () => {
  it.each(named)('%s', async (_, shape) => {
    const callModel = callWithShape(shape);
    const pieces = Array.from(bytesOf(shape), (byte) => Uint8Array.of(byte));
    await expectShape(shape, callModel(respondWith(pieces)));
  });
});

describe('body that ends early, at every byte, never yields a runnable call', () => {
  it.each(named)('%s', async (_, shape) => {
    const callModel = callWithShape(shape);
    const bytes = bytesOf(shape);
    for (let at = 0; at < bytes.length; at++) {
      const start = bytes.slice(0, at);
      const outcome = await callModel(respondWith([start])).catch((error: unknown) => error);
      if (!(outcome instanceof ModelError)) {
        expect(isMarkedAsEnded(shape, start), `answered at ${at}`).toBe(true);
        // Usage may have been cut off, so it is not compared.
        expectAnswer(shape, outcome as ChatAnswer, comparableUsage(outcome as ChatAnswer));
      }
    }
  });

  it.each(named.filter(([, shape]) => isStream(shape)))(
    'with a connection error around every chunk: %s',
    async (_, shape) => {
      const callModel = callWithShape(shape);
      const bytes = bytesOf(shape);
      const done = Buffer.from(bytes).indexOf('[DONE]');
      const ends = [0, ...findEventEnds(bytes)].flatMap((at) => [at - 1, at, at + 1]);
      // A connection error after [DONE] does not matter.
      for (const at of ends.filter((end) => end >= 0 && end < (done < 0 ? bytes.length : done))) {
        const broken = callModel(respondWith([bytes.slice(0, at)], new Error('socket hang up')));
        const outcome = await broken.catch((error: unknown) => error);
        expect(outcome, `at ${at}`).toBeInstanceOf(ModelError);
      }
    },
  );
});

describe('stream over a real connection, cut at every chunk', () => {
  let server: Server;
  let baseUrl: string;
  let pieces: readonly Uint8Array[] = [];

  beforeAll(async () => {
    server = createServer((incoming, response) => {
      incoming.resume();
      void (async () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const piece of pieces) {
          await new Promise((resolve) => response.write(piece, resolve));
          await wait(2);
        }
        response.end();
      })();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each(named.filter(([, shape]) => isStream(shape)))('%s', async (_, shape) => {
    const model = modelFor(shape, { baseUrl });
    const bytes = bytesOf(shape);
    for (const at of findEventEnds(bytes)) {
      pieces = [bytes.slice(0, at), bytes.slice(at)].filter((piece) => piece.length > 0);
      await expectShape(shape, model.complete(request, { signal: new AbortController().signal }));
    }
  });
});
