import { globalAgent } from 'node:http';
import type { Socket } from 'node:net';
import type { ChatRequest } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import {
  chunk,
  complete,
  modelAt,
  request,
  startRehearsal,
  startServer,
  streamedText,
} from './openai-model.fixture.js';

describe('connections, callbacks and ids', () => {
  it('reuses one connection for consecutive calls, even if [DONE] is not the end of the body', async () => {
    const sockets = new Set<Socket>();
    const url = await startServer((incoming, response) => {
      sockets.add(incoming.socket);
      response.write(chunk({ content: 'Hi' }, 'stop'));
      response.write('data: [DONE]\n\n', () => setTimeout(() => response.end(': bye\n\n'), 5));
    });
    const model = modelAt(url);
    const isFree = (): boolean => globalAgent.freeSockets[`${new URL(url).host}:`]?.length === 1;
    for (let n = 0; n < 3; n++) {
      await model.complete(request, { signal: new AbortController().signal });
      while (!isFree()) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(sockets.size).toBe(1);
  });

  it('removes its listeners from a long-lived signal', async () => {
    const server = await startRehearsal();
    const caller = new AbortController();
    let listeners = 0;
    const { signal } = caller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => (listeners++, add(...given));
    signal.removeEventListener = (...given: Parameters<typeof remove>) => (listeners--, remove(...given));
    for (let n = 0; n < 5; n++) await modelAt(server.baseUrl).complete(request, { signal });
    expect(listeners).toBe(0);
  });

  it('throws an error of a callback unchanged', async () => {
    const server = await startRehearsal();
    const mistake = new TypeError('a mistake in the view');
    const outcome = complete(
      server.baseUrl,
      {},
      {
        onDelta: () => {
          throw mistake;
        },
      },
    );
    await expect(outcome).rejects.toBe(mistake);
    expect(server.requests()).toBe(1);
  });

  it('gives call ids that are unique in the conversation', async () => {
    const server = await startRehearsal();
    const model = modelAt(server.baseUrl);
    const { signal } = new AbortController();
    const [first] = (await model.complete(request, { signal })).calls;
    const url = await startServer((_, response) =>
      response.end(
        `${chunk({ tool_calls: [{ index: 0, id: first!.id, function: { name: 'read_file', arguments: '{}' } }] }, 'stop')}`,
      ),
    );
    const history: ChatRequest = {
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: '', toolCalls: [{ id: first!.id, name: 'read_file', arguments: '{}' }] },
      ],
    };
    const [second] = (await modelAt(url).complete(history, { signal })).calls;
    expect(second!.id).not.toBe(first!.id);
  });

  it('counts tokens if the server did not, including messages and tools', async () => {
    const url = await startServer((_, response) => response.end(streamedText('four')));
    const { usage } = await complete(url);
    expect(usage).toMatchObject({ outputTokens: 4, cachedInputTokens: 0, estimated: true });
    expect(usage.inputTokens).toBeGreaterThan('Read.'.length + 'read_file'.length);
  });
});
