import { findRedisServer } from '@phaseline/local-stack';
import type { ReceivedSpan } from '@phaseline/telemetry/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectOneTree,
  startTracedStack,
  submitDocument,
  waitForTrace,
  type TracedStack,
} from './traced-stack.fixture.js';

const SERVICES = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'];
const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const CONTENTS = [
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
];

const toJobId = (traceId: string): string => traceId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** The name of a span without what the job chose. */
const simplify = (name = 'none'): string =>
  name.replace(/^(chat|execute_tool|invoke_agent|invoke_workflow) .*/, '$1 …').replace(/^(send|process) .*/, '$1 …');

/** Describes the kinds of spans of a trace: their parents and the keys of their attributes, without what may differ between jobs. */
function outline(spans: readonly ReceivedSpan[]): string {
  const lines = spans.map((span) => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
    const head = `${simplify(span.name)} (${span.kind}) in ${simplify(parent?.name)}`;
    return { head, keys: Object.keys(span.attributes) };
  });
  const groups = [...Map.groupBy(lines, ({ head }) => head)].map(([head, of]) => {
    const keys = [...new Set(of.flatMap(({ keys: own }) => own))].sort();
    return `${head}\n${keys.map((key) => `  ${key}\n`).join('')}`;
  });
  return groups.sort().join('\n');
}

/** The spans by which one sees that a service worked on a job. */
const isOwnWork: Readonly<Record<string, (span: ReceivedSpan) => boolean>> = {
  orchestrator: ({ name }) => name === 'POST /v1/jobs',
  'strategic-worker': ({ name }) => name.startsWith('chat '),
  'tactical-worker': ({ name }) => name.startsWith('chat '),
  'tool-runner': ({ name }) => name.startsWith('execute_tool '),
};

const backends = (await findRedisServer()) ? (['postgres', 'redis'] as const) : (['postgres'] as const);

describe.each(backends)('with %s queues', (backend) => {
  let system: TracedStack;
  beforeAll(async () => {
    system = await startTracedStack(backend);
  }, 120_000);
  afterAll(() => system?.close(), 60_000);

  it('a job has one trace with the spans of all services, and other traces belong to other jobs', async () => {
    const jobId = await submitDocument(system, CALLER);
    const spans = await waitForTrace(system, jobId);
    expectOneTree(spans, jobId);
    expect([...new Set(spans.map(({ service }) => service))].sort()).toEqual(SERVICES);
    await expect(outline(spans)).toMatchFileSnapshot('traced-job.golden.txt');
    // A span is written by one process, once.
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    const root = spans.find(({ parentSpanId }) => parentSpanId === '');
    const [submitted] = (await system.client.eventPage(jobId, { limit: 1 })).items;
    expect(Number(root!.startNs / 1_000_000n)).toBe(Date.parse(submitted!.recordedAt));
    expect(root?.links).toEqual([{ traceId: CALLER.split('-')[1], spanId: CALLER.split('-')[2] }]);
    const traceIds = new Set(system.receiver.spans.map((span) => span.traceId));
    for (const traceId of traceIds) expect((await system.client.get(toJobId(traceId))).jobId).toBe(toJobId(traceId));
  });

  it('the consumer of each message is linked to its producer', async () => {
    const { spans } = system.receiver;
    const producers = new Map(spans.filter(({ kind }) => kind === 'producer').map((span) => [span.spanId, span]));
    const consumers = spans.filter(({ kind }) => kind === 'consumer');
    expect(consumers.length).toBeGreaterThan(10);
    for (const { name, links } of consumers)
      expect(links.map(({ spanId }) => producers.get(spanId)?.name)).toEqual([name.replace('process', 'send')]);
  });
});

describe.each(backends)('a job of which each service is killed once, with %s queues', (backend) => {
  let system: TracedStack;
  beforeAll(async () => {
    system = await startTracedStack(backend, {
      PHASELINE_REHEARSAL_LATENCY_MS: '250',
      PHASELINE_TELEMETRY_CONTENT: '1',
    });
  }, 120_000);
  afterAll(() => system?.close(), 60_000);

  it(
    'has one trace, with the spans of both processes of each service and no orphan',
    { timeout: 300_000 },
    async () => {
      const { receiver, stack } = system;
      const jobId = await submitDocument(system);
      const ofService = (name: string) =>
        receiver.ofTrace(jobId.replaceAll('-', '')).filter(({ service }) => service === name);
      const living = new Set(SERVICES);
      const killNext = (): boolean => {
        const next = [...living].find((name) => ofService(name).some((span) => isOwnWork[name]!(span)));
        if (next === undefined) return false;
        process.kill(stack.services().find(({ name }) => name === next)!.pid!, 'SIGKILL');
        return living.delete(next);
      };
      while (living.size > 0) await expect.poll(killNext, { timeout: 60_000, interval: 20 }).toBe(true);
      const spans = await waitForTrace(system, jobId);
      expectOneTree(spans, jobId);
      for (const name of SERVICES) {
        const instances = Map.groupBy(ofService(name), ({ instance }) => instance);
        expect(instances.size, name).toBe(2);
        for (const [, own] of instances)
          if (name !== 'orchestrator') expect(own.some(isOwnWork[name]!), name).toBe(true);
      }
    },
  );

  it('shows contents only when they are asked for', () => {
    const { spans } = system.receiver;
    const keysOf = (prefix: string) =>
      new Set(spans.filter(({ name }) => name.startsWith(prefix)).flatMap(({ attributes }) => Object.keys(attributes)));
    expect(CONTENTS.filter((key) => keysOf('chat ').has(key))).toEqual(CONTENTS.slice(0, 2));
    expect(CONTENTS.filter((key) => keysOf('execute_tool ').has(key))).toEqual(CONTENTS.slice(2));
    const chat = spans.find(({ attributes }) => attributes[CONTENTS[1]!] !== undefined);
    expect(JSON.parse(String(chat?.attributes['gen_ai.output.messages']))).toMatchObject([
      { role: 'assistant', parts: expect.any(Array), finish_reason: 'tool_call' },
    ]);
  });
});
