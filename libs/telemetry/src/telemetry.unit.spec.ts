import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toPhaseSpanId, toRootSpanId } from './job-ids.js';
import { getTraceFields } from './log-fields.js';
import { ProblemLog } from './sdk/problem-log.js';
import type { Telemetry, TelemetryOptions } from './start-telemetry.js';
import { SpanReceiver, startTelemetryForSpecs, type ReceivedSpan } from './testing/index.js';
import { writeSpan } from './tracing.js';
import { startWork, traceWork } from './work-span.js';

const jobId = '0195f1c2-aaaa-7bbb-8ccc-0123456789ab';
const traceId = '0195f1c2aaaa7bbb8ccc0123456789ab';
const otherJob = '1195f1c2-aaaa-7bbb-8ccc-0123456789ab';
const caller = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let receiver: SpanReceiver;
let telemetry: Telemetry | undefined;
beforeEach(async () => {
  receiver = await SpanReceiver.start();
});
afterEach(async () => {
  await telemetry?.close(1_000);
  telemetry = undefined;
  await receiver.close();
});

async function start(options: Partial<TelemetryOptions> = {}): Promise<void> {
  telemetry = await startTelemetryForSpecs(receiver, options);
}

/** Ends telemetry, which sends all spans, and returns them by name. */
async function receive(): Promise<Readonly<Record<string, ReceivedSpan>>> {
  await telemetry?.close(5_000);
  const names = receiver.spans.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  return Object.fromEntries(receiver.spans.map((span) => [span.name, span]));
}

describe('the spans of a job', () => {
  it('are in the trace of its id, below the span of the job or of a phase', async () => {
    await start();
    await traceWork({ name: 'of job', place: { jobId } }, async () => {});
    await traceWork({ name: 'of phase', kind: 'client', place: { jobId, phase: 2 } }, async () => {});
    const spans = await receive();
    expect(spans).toMatchObject({
      'of job': { service: 'spec', traceId, parentSpanId: toRootSpanId(jobId), kind: 'internal', hasFailed: false },
      'of phase': { traceId, parentSpanId: toPhaseSpanId(jobId, 2), kind: 'client' },
    });
    expect(toRootSpanId(jobId)).toBe('0195f1c2aaaa7bbb');
  });

  it('have their parents in long work only if it says so, and then are written with it', async () => {
    await start();
    await traceWork({ name: 'long', place: { jobId, phase: 1 } }, () =>
      traceWork({ name: 'within long', place: { jobId, phase: 1 } }, async () => {}),
    );
    const short = startWork({ name: 'short', place: { jobId, phase: 1 }, hasChildren: true });
    await short.run(() => traceWork({ name: 'within short' }, async () => {}));
    await telemetry?.close(5_000);
    const before = receiver.spans.map(({ name }) => name);
    expect(before).toEqual(['within long', 'long']);
    await start();
    short.end();
    const spans = await receive();
    expect(spans['within long']?.parentSpanId).toBe(toPhaseSpanId(jobId, 1));
    expect(spans['within short']?.parentSpanId).toBe(spans['short']?.spanId);
    expect(spans['short']?.parentSpanId).toBe(toPhaseSpanId(jobId, 1));
  });

  it('adopt work whose job was not known when it began, with a link to its cause', async () => {
    await start();
    await traceWork({ name: 'POST', kind: 'server', cause: caller, hasChildren: true }, async (span) => {
      expect(span.traceparent).toBeUndefined();
      await traceWork({ name: 'append', place: { jobId } }, async () => {});
      await traceWork({ name: 'append to another job', place: { jobId: otherJob } }, async () => {});
      expect(span.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    });
    const spans = await receive();
    expect(spans['POST']).toMatchObject({
      traceId,
      parentSpanId: toRootSpanId(jobId),
      links: [{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }],
    });
    expect(spans['append']?.parentSpanId).toBe(spans['POST']?.spanId);
    expect(spans['append to another job']?.parentSpanId).toBe(toRootSpanId(otherJob));
  });

  it('are not written for work without a job, except in the trace of its caller', async () => {
    await start();
    await traceWork({ name: 'nobody asked' }, async () => {});
    await traceWork({ name: 'asked', cause: caller }, async () => {});
    const spans = await receive();
    expect(Object.keys(spans)).toEqual(['asked']);
    expect(spans['asked']).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
      links: [],
    });
  });

  it('are written with the ids and times that are given, so that a root span needs no stored state', async () => {
    await start();
    writeSpan({
      ids: { traceId, spanId: toRootSpanId(jobId) },
      name: 'job',
      kind: 'internal',
      startMs: 1_700_000_000_000,
      endMs: 1_700_007_200_000,
      attributes: { text: 'a', number: 1.5, whole: -3, list: ['a', 'b'], isSet: true, missing: undefined },
      error: { type: 'token_limit', message: 'used secret-value' },
    });
    expect((await receive())['job']).toMatchObject({
      traceId,
      spanId: '0195f1c2aaaa7bbb',
      parentSpanId: '',
      startNs: 1_700_000_000_000_000_000n,
      endNs: 1_700_007_200_000_000_000n,
      attributes: { text: 'a', number: 1.5, whole: -3, list: ['a', 'b'], isSet: true, 'error.type': 'token_limit' },
      hasFailed: true,
      message: '',
    });
  });
});

describe('contents, and messages of errors, which may quote one,', () => {
  it.each([
    ['are not written', { hasContent: false }, {}, undefined, ''],
    ['are written without secrets if they are asked for', { hasContent: true }, {}, 'holds ***', 'quotes ***'],
    ['of confidential work are never written', { hasContent: true }, { isConfidential: true }, undefined, ''],
  ])('%s', async (_, options, spec, content, message) => {
    await start(options);
    await traceWork({ name: 'chat', place: { jobId }, ...spec }, async (span) => {
      span.setContent('content', () => (content === undefined ? expect.unreachable() : 'holds secret-value'));
      span.fail('refused', 'quotes secret-value');
    });
    const attributes = content === undefined ? {} : { content };
    expect((await receive())['chat']).toMatchObject({ hasFailed: true, message });
    expect(receiver.spans[0]?.attributes).toEqual({ ...attributes, 'error.type': 'refused' });
  });
});

it('work that throws fails its span and still throws', async () => {
  await start();
  const failing = traceWork({ name: 'append', place: { jobId } }, async () => {
    throw Object.assign(new Error('no'), { code: 'refused' });
  });
  await expect(failing).rejects.toThrow('no');
  expect((await receive())['append']).toMatchObject({ attributes: { 'error.type': 'refused' }, hasFailed: true });
});

it('the collector receives the headers of the setting', async () => {
  await start({ headers: 'authorization=Bearer%20abc, x-tenant=one, x-raw=100%' });
  await traceWork({ name: 'a', place: { jobId } }, async () => {});
  await receive();
  expect(receiver.headers).toMatchObject([{ authorization: 'Bearer abc', 'x-tenant': 'one', 'x-raw': '100%' }]);
});

describe('without an endpoint', () => {
  it('work runs as it is', async () => {
    await start({ endpoint: undefined });
    const result = await traceWork({ name: 'a', place: { jobId } }, async (span) => {
      span.set({ a: 1 });
      expect(span).toMatchObject({ isRecording: false, traceparent: undefined });
      return 'done';
    });
    expect(result).toBe('done');
    expect(receiver.spans).toEqual([]);
  });
});

describe('log lines', () => {
  it('that concern a job name its trace, also while telemetry is off', () => {
    expect(getTraceFields({ jobId })).toEqual({ trace_id: traceId });
    expect(getTraceFields({ jobId: 'no id' })).toEqual({});
    expect(getTraceFields({})).toEqual({});
  });

  it('name the active span of the same job', async () => {
    await start();
    await traceWork({ name: 'a', place: { jobId } }, async (span) => {
      const spanId = span.traceparent?.split('-')[2];
      expect(getTraceFields({})).toEqual({ trace_id: traceId, span_id: spanId });
      expect(getTraceFields({ jobId })).toEqual({ trace_id: traceId, span_id: spanId });
      expect(getTraceFields({ jobId: otherJob })).toEqual({ trace_id: otherJob.replaceAll('-', '') });
    });
    expect(getTraceFields({})).toEqual({});
  });
});

describe('lost spans', () => {
  it('are counted when the queue is full or the collector is down, and logged once', async () => {
    let dropped = 0;
    const lines: unknown[] = [];
    await receiver.close();
    await start({
      endpoint: receiver.endpoint,
      maxQueuedSpans: 10,
      scheduleDelayMs: 60_000,
      onDropped: (spans) => (dropped += spans),
      logProblem: (line) => lines.push(line),
    });
    for (let span = 0; span < 30; span += 1) await traceWork({ name: 'a', place: { jobId } }, async () => {});
    // The tenth span fills a batch, which is being sent, so that ten more find room.
    expect(dropped).toBe(10);
    await telemetry?.close(100);
    expect(dropped).toBe(30);
    expect(lines).toEqual([{ dropped: 1, reason: 'the queue is full' }]);
    receiver = await SpanReceiver.start();
  });

  it('are logged once per minute, with their number since the last line', () => {
    let now = 0;
    const lines: unknown[] = [];
    const problems = new ProblemLog(
      (line) => lines.push(line),
      () => now,
    );
    problems.report(1, 'first');
    problems.report(2, 'second');
    now = 59_999;
    problems.report(3, 'third');
    now = 60_000;
    problems.report(4, 'fourth');
    expect(lines).toEqual([
      { dropped: 1, reason: 'first' },
      { dropped: 9, reason: 'fourth' },
    ]);
  });
});
