import { redactEvent } from '@phaseline/domain';
import { createPool, EventStore, MasterKeys } from '@phaseline/event-store';
import { toPhaseSpanId, toTraceId, type Telemetry } from '@phaseline/telemetry';
import { SpanReceiver, startTelemetryForSpecs, type ReceivedSpan } from '@phaseline/telemetry/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playCheckedJob } from './claimed-jobs.fixture.js';
import { Engine } from './engine.js';
import { call, createThreePhasePolicy } from './scripts.js';
import { useStore } from './use-store.fixture.js';
import { WireServer, type ResponseFault } from './wire-server.js';

const opened = useStore();
let receiver: SpanReceiver;
let telemetry: Telemetry | undefined;
beforeEach(async () => {
  receiver = await SpanReceiver.start();
});
afterEach(async () => {
  await telemetry?.close(1_000);
  await receiver.close();
});

async function start(options: { hasContent?: boolean; sendsTraceparent?: boolean } = {}): Promise<void> {
  telemetry = await startTelemetryForSpecs(receiver, {
    scrub: (text) => text.replaceAll('Zwynsecretquox', '***'),
    ...options,
  });
}

/** Sends the spans that are left and returns those of a job. */
async function receive(jobId: string): Promise<readonly ReceivedSpan[]> {
  await telemetry?.close(5_000);
  return receiver.ofTrace(toTraceId(jobId));
}

describe('checks of a claim', () => {
  it('have spans: a verifier as the call of a tool, a judge as the call of a model', async () => {
    await start();
    const { jobId } = await playCheckedJob(opened.store);
    const spans = await receive(jobId);
    const verifiers = spans.filter(({ name }) => name === 'execute_tool run_verifier');
    expect(verifiers.map(({ attributes }) => attributes['phaseline.check.name'])).toEqual(['unit', 'unit']);
    const judges = spans.filter(({ attributes }) => attributes['phaseline.model_call.purpose'] === 'judge');
    expect(judges.map(({ name, attributes }) => [name, attributes['phaseline.check.name']])).toEqual([
      [expect.stringMatching(/^chat /), 'diff-review'],
    ]);
    for (const { parentSpanId } of [...verifiers, ...judges]) expect(parentSpanId).toBe(toPhaseSpanId(jobId, 1));
  });
});

describe('the attempts of a model call', () => {
  const busy: ResponseFault = (response) => void response.writeHead(503).end('{"error":{"message":"no"}}');

  it.each([false, true])('have spans below it; the server gets traceparent if that is on: %s', async (isOn) => {
    await start({ sendsTraceparent: isOn });
    const policy = createThreePhasePolicy();
    const wire = await WireServer.start(policy, { fault: (request) => (request === 1 ? busy : undefined) });
    const engine = new Engine({ store: opened.store, policy, model: wire.model });
    const jobId = await engine.submitAndRun();
    await wire.close();
    const spans = await receive(jobId);
    const attempts = spans.filter(({ name }) => name === 'POST');
    expect(attempts).toHaveLength(wire.headers.length);
    const sent = attempts.map(({ traceId, spanId }) => (isOn ? `00-${traceId}-${spanId}-01` : undefined));
    expect(wire.headers.map(({ traceparent }) => traceparent)).toEqual(sent);
    const [first, second] = attempts;
    expect(first).toMatchObject({ hasFailed: true, attributes: { 'http.response.status_code': 503 } });
    expect(second).toMatchObject({
      parentSpanId: first!.parentSpanId,
      hasFailed: false,
      attributes: { 'http.response.status_code': 200, 'http.request.resend_count': 1 },
    });
    const chats = spans.filter(({ name }) => name === 'chat wire');
    expect(chats.map(({ spanId }) => spanId)).toEqual([...new Set(attempts.map(({ parentSpanId }) => parentSpanId))]);
    expect(chats.some(({ hasFailed }) => hasFailed)).toBe(false);
  });

  it('fail the span of the call together, with the code of the error', async () => {
    await start();
    const policy = createThreePhasePolicy();
    const wire = await WireServer.start(policy, {
      fault: () => (response) => void response.writeHead(401).end('{"error":{"message":"no"}}'),
    });
    const engine = new Engine({ store: opened.store, policy, model: wire.model });
    const jobId = await engine.submitAndRun();
    await wire.close();
    const chats = (await receive(jobId)).filter(({ name }) => name === 'chat wire');
    expect(chats.map(({ hasFailed, attributes }) => [hasFailed, attributes['error.type']])).toEqual([
      [true, 'unauthorized'],
    ]);
  });
});

describe('contents', () => {
  const policy = createThreePhasePolicy([call('write_file', { path: 'a.md', content: 'about Zwynsecretquox' })]);
  const findTexts = (spans: readonly ReceivedSpan[]): string =>
    JSON.stringify(spans.map(({ attributes }) => attributes));

  it('are masked like log lines', async () => {
    await start({ hasContent: true });
    const jobId = await new Engine({ store: opened.store, policy }).submitAndRun();
    const texts = findTexts(await receive(jobId));
    expect(texts).toContain('about ***');
    expect(texts).not.toContain('Zwynsecretquox');
  });

  it('of encrypted jobs are never written, because they could not be erased', async () => {
    await start({ hasContent: true });
    const pool = createPool(opened.url, { max: 4 });
    const masterKeys = MasterKeys.parse(MasterKeys.generate());
    const store = new EventStore(pool, { encryption: { masterKeys, redact: redactEvent } });
    const jobId = await new Engine({ store, policy }).submitAndRun({ encrypt: true });
    const spans = await receive(jobId);
    await pool.end();
    expect(spans.filter(({ name }) => name === 'execute_tool write_file')).toHaveLength(1);
    expect(findTexts(spans)).not.toMatch(
      /about|gen_ai\.(input|output)\.messages|gen_ai\.tool\.call\.(arguments|result)/,
    );
  });
});
