/**
 * Measures the client's overhead per model call: CPU time of the calling process and latency over loopback, against a
 * rehearsal server in a child process that answers immediately. The answer is one tool call in about 20 chunks; the
 * request holds 6 kB of messages and 8 tools.
 *
 *   npx tsc -b libs/model && node libs/model/bench/call-overhead.mjs [calls, default 2000]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { createOpenAiModel, modelProfileSchema, scripted, startRehearsalServer } from '../dist/index.js';

const turn = {
  content: 'Writing it down.',
  calls: [{ name: 'tool_0', arguments: { path: 'a.md', content: 'line\n'.repeat(80) } }],
};

if (process.argv[2] === 'serve') {
  const { baseUrl } = await startRehearsalServer({ policies: [scripted([turn])] });
  process.send(baseUrl);
} else {
  const server = fork(fileURLToPath(import.meta.url), ['serve']);
  const [baseUrl] = await once(server, 'message');
  await measureAll(baseUrl, Number(process.argv[2] ?? 2_000));
  server.kill();
}

async function measureAll(baseUrl, calls) {
  const messages = [
    { role: 'system', content: 'x'.repeat(4_000) },
    { role: 'user', content: 'y'.repeat(2_000) },
  ];
  const tools = Array.from({ length: 8 }, (_, n) => ({
    name: `tool_${n}`,
    description: 'd'.repeat(100),
    parameters: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } },
  }));
  const request = { messages, tools };
  const { signal } = new AbortController();
  const model = (streaming, fetch) => {
    const profile = modelProfileSchema.parse({ name: 'bench', model: 'rehearsal', streaming });
    return createOpenAiModel({ baseUrl, profile, countTokens: (text) => text.length, ...(fetch ? { fetch } : {}) });
  };
  const client = new OpenAI({ apiKey: 'none', baseURL: baseUrl, maxRetries: 0 });
  const body = { model: 'rehearsal', messages, tools: tools.map((tool) => ({ type: 'function', function: tool })) };
  const streamed = { ...body, stream: true, stream_options: { include_usage: true } };

  const [stream, whole, streamOverFetch] = [model(true), model(false), model(true, globalThis.fetch)];
  await measure('model, streamed', calls, () => stream.complete(request, { signal }));
  await measure('model, whole', calls, () => whole.complete(request, { signal }));
  await measure("model, streamed, over Node's fetch", calls, () => streamOverFetch.complete(request, { signal }));
  await measure("openai's stream helper alone, over Node's fetch", calls, () =>
    client.chat.completions.stream(streamed).finalChatCompletion(),
  );
  await measure("openai's whole answer alone, over Node's fetch", calls, () => client.chat.completions.create(body));
}

async function measure(name, calls, call) {
  for (let n = 0; n < 300; n++) await call();
  const times = [];
  const before = process.cpuUsage();
  for (let n = 0; n < calls; n++) {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  const ms = (value) => value.toFixed(2).padStart(6);
  console.log(
    `${name.padEnd(50)} CPU ${ms((user + system) / calls / 1_000)} ms   p50 ${ms(times[calls >> 1])} ms   p99 ${ms(times[Math.floor(calls * 0.99)])} ms`,
  );
}
