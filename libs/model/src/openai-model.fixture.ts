import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import type { ChatRequest } from '@phaseline/contracts';
import { createScriptedPolicy, startRehearsalServer, type RehearsalFault } from '@phaseline/rehearsal';
import { expect, onTestFinished } from 'vitest';
import type { CompleteOptions } from './chat-model.js';
import { ModelError } from './model-error.js';
import { createOpenAiModel } from './openai-model.js';
import { modelProfileSchema, retriesSchema } from './profile/model-profile.js';

const KEY = 'sk-secret-0123456789';

export const request: ChatRequest = {
  messages: [{ role: 'user', content: 'Read.' }],
  tools: [{ name: 'read_file', description: 'Reads', parameters: { type: 'object' } }],
};
const turn = { content: 'Reading.', calls: [{ name: 'read_file', arguments: { path: 'a.md' } }] };

export const retries = retriesSchema.parse({ attempts: 3, baseDelayMs: 1 });

interface Client {
  profile?: object;
  apiKey?: string;
  random?: () => number;
}

export const modelAt = (baseUrl: string, { profile = {}, apiKey = KEY, random = () => 0 }: Client = {}) =>
  createOpenAiModel({
    baseUrl,
    apiKey,
    random,
    profile: modelProfileSchema.parse({ name: 'test', model: 'rehearsal', retries, ...profile }),
    countTokens: (text) => text.length,
  });

export const complete = (baseUrl: string, client: Client = {}, options: Partial<CompleteOptions> = {}) =>
  modelAt(baseUrl, client).complete(request, { signal: new AbortController().signal, ...options });

export const expectModelError = async (outcome: Promise<unknown>): Promise<ModelError> => {
  const error = await outcome.then(
    (answer) => expect.fail(`answered ${inspect(answer)}`),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
};

export async function startRehearsal(faults: readonly (RehearsalFault | null)[] = [], apiKey?: string) {
  const server = await startRehearsalServer({
    policies: [createScriptedPolicy([turn])],
    faults,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  onTestFinished(() => server.close());
  return server;
}

/** Starts a server for the running test. Returns the base URL of its API. */
export async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    listener(incoming, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** One chunk of a streamed answer. */
export const chunk = (delta: object, finishReason: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;

/** A whole answer. */
export const streamedText = (content: string): string => `${chunk({ content }, 'stop')}data: [DONE]\n\n`;
