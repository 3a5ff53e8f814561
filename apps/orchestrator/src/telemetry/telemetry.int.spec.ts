import { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { createPool, readTailLag } from '@phaseline/event-store';
import { toPhaseSpanId, toRootSpanId, toTraceId } from '@phaseline/telemetry';
import { SpanReceiver, type ReceivedSpan } from '@phaseline/telemetry/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { briefBlob, delegate } from '../testing/delegate.js';
import { phaseEvents, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';
import { sendToJobs } from '../testing/send-to-jobs.js';

const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const CALLER_IDS = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

let receiver: SpanReceiver;
let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
beforeAll(async () => {
  receiver = await SpanReceiver.start();
  orchestrator = await startOrchestrator({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(async () => {
  await orchestrator.stop();
  await receiver.close();
});

/** Waits until the trace of a job has this number of spans with this name, and returns them in the order of their beginnings. */
async function waitForSpans(jobId: JobId, name: string, count = 1): Promise<readonly ReceivedSpan[]> {
  const find = () => receiver.ofTrace(toTraceId(jobId)).filter((span) => span.name === name);
  await expect.poll(() => find().length).toBe(count);
  return find().toSorted((one, other) => Number(one.startNs - other.startNs));
}

describe('the spans of a job', () => {
  it('are written when it and its phases end, and once more for a run after a retry', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    const failure = { code: 'model_failed', message: 'the model is gone', retryable: false } as const;
    await orchestrator.inPhase(jobId, 1, [{ type: 'PhaseFailed', data: failure }]);
    const [phase] = await waitForSpans(jobId, 'invoke_agent writer');
    expect(phase).toMatchObject({
      spanId: toPhaseSpanId(jobId, 1),
      parentSpanId: toRootSpanId(jobId),
      hasFailed: true,
      attributes: { 'error.type': 'model_failed', 'phaseline.phase.outcome': 'failed', 'phaseline.phase.number': 1 },
    });
    const [first] = await waitForSpans(jobId, 'invoke_workflow short');
    expect(first).toMatchObject({
      spanId: toRootSpanId(jobId),
      parentSpanId: '',
      hasFailed: true,
      attributes: { 'phaseline.job.status': 'failed', 'phaseline.job.id': jobId, 'error.type': 'model_failed' },
      links: [],
    });
    await client.control(jobId, 'retry', {});
    await client.cancel(jobId);
    const [, second] = await waitForSpans(jobId, 'invoke_workflow short', 2);
    expect(second).toMatchObject({
      parentSpanId: toRootSpanId(jobId),
      hasFailed: false,
      attributes: { 'phaseline.job.status': 'cancelled' },
    });
    expect(second!.startNs).toBeGreaterThan(first!.endNs);
    expect(second!.spanId).not.toBe(first!.spanId);
  });

  it('are linked to the job from which it was forked', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    await orchestrator.inPhase(jobId, 1, [phaseEvents.answered(1)]);
    const { position } = (await orchestrator.store.readCorrelation(jobId, { types: ['ModelResponded'] }))[0]!;
    const fork = await client.fork(jobId, { position });
    await client.cancel(fork.jobId);
    const [root] = await waitForSpans(fork.jobId, 'invoke_workflow short');
    expect(root).toMatchObject({
      parentSpanId: '',
      links: [{ traceId: toTraceId(jobId), spanId: toRootSpanId(jobId) }],
    });
    await client.cancel(jobId);
  });

  it('are linked to the phase that delegated it', async () => {
    // A child has the labels of its parent.
    const { jobId } = await client.submit({ agent: 'writer', labels: { family: 'delegates' } });
    await orchestrator.inPhase(jobId, 1, delegate({ one: 'writer' }), [briefBlob]);
    const findChild = async () =>
      (await client.listPage({ label: 'family=delegates' })).items.find((job) => job.jobId !== jobId);
    await expect.poll(findChild).toBeDefined();
    const { jobId: childId } = (await findChild())!;
    await client.cancel(childId);
    const [root] = await waitForSpans(childId, 'invoke_workflow short');
    expect(root).toMatchObject({
      parentSpanId: '',
      links: [{ traceId: toTraceId(jobId), spanId: toPhaseSpanId(jobId, 1) }],
    });
    await client.cancel(jobId);
  });

  it('begin with the message that submitted it', async () => {
    await sendToJobs(orchestrator, { agent: 'writer', labels: { from: 'queue' } });
    const isProcessed = ({ name }: ReceivedSpan): boolean => name === 'process jobs';
    await expect.poll(() => receiver.spans.filter(isProcessed).length).toBe(1);
    const processed = receiver.spans.find(isProcessed)!;
    const listJobs = async () => (await client.listPage({ label: 'from=queue' })).items;
    // The list is a read model, which may receive the job after the span was exported.
    await expect.poll(async () => (await listJobs()).length).toBe(1);
    const { jobId } = (await listJobs())[0]!;
    expect(processed).toMatchObject({
      traceId: toTraceId(jobId),
      parentSpanId: toRootSpanId(jobId),
      kind: 'consumer',
      attributes: { 'phaseline.delivery.outcome': 'completed' },
    });
    const below = receiver.spans.filter(({ parentSpanId }) => parentSpanId === processed.spanId);
    expect(below.map(({ name }) => name)).toEqual(['append']);
  });
});

describe('requests', () => {
  it('that submit a job are in its trace, and linked to their caller', async () => {
    const { body } = await orchestrator.json('/v1/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: CALLER },
      body: JSON.stringify({ agent: 'writer' }),
    });
    const [span] = await waitForSpans(String(body['jobId']), 'POST /v1/jobs');
    expect(span).toMatchObject({
      kind: 'server',
      links: [CALLER_IDS],
      parentSpanId: toRootSpanId(String(body['jobId'])),
    });
    await client.cancel(String(body['jobId']));
    const [root] = await waitForSpans(String(body['jobId']), 'invoke_workflow short');
    expect(root?.links).toEqual([CALLER_IDS]);
  });

  it('that read are in the trace of their caller, and have no span without one', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    await orchestrator.fetch(`/v1/jobs/${jobId}`);
    await orchestrator.fetch(`/v1/jobs/${jobId}`, { headers: { traceparent: CALLER } });
    const listReads = () => receiver.spans.filter(({ name }) => name === 'GET /v1/jobs/:jobId');
    await expect.poll(() => listReads().length).toBe(1);
    await client.cancel(jobId);
    await waitForSpans(jobId, 'invoke_workflow short');
    expect(listReads()).toMatchObject([{ traceId: CALLER_IDS.traceId, parentSpanId: CALLER_IDS.spanId }]);
  });
});

it('the checkpoints are removed when telemetry is off, unless another replica uses them', async () => {
  const first = await startOrchestrator();
  const pool = createPool(first.databaseUrls.service, { max: 1 });
  const startBeside = (env: NodeJS.ProcessEnv = {}) => startOrchestrator(env, { beside: first });
  const countPartitions = async () => (await readTailLag(pool, { name: 'telemetry' })).length;
  const tracing = await startBeside({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });
  await (await startBeside()).stop();
  expect(await countPartitions()).toBe(8);
  await tracing.stop();
  await (await startBeside()).stop();
  expect(await countPartitions()).toBe(0);
  await pool.end();
  await first.stop();
});
