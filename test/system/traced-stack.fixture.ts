import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PhaselineClient, routes, SUBMIT_FORM } from '@phaseline/client';
import { openLocalHome } from '@phaseline/local-stack';
import { SpanReceiver, type ReceivedSpan } from '@phaseline/telemetry/testing';
import { expect } from 'vitest';
import { planStack, type QueueBackend } from '../../apps/cli/src/stack/stack-plan.js';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';

export interface TracedStack {
  readonly stack: RunningStack;
  readonly client: PhaselineClient;
  readonly receiver: SpanReceiver;
  close(): Promise<void>;
}

/** Starts all services from the build output, with the rehearsal model, and a collector that receives their spans. */
export async function startTracedStack(queueBackend: QueueBackend, more: NodeJS.ProcessEnv = {}): Promise<TracedStack> {
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-traced-'));
  const receiver = await SpanReceiver.start();
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    PHASELINE_HOME: join(folder, 'home'),
    PHASELINE_REHEARSAL_LATENCY_MS: '60',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    // Short, so that a killed process has sent most of its spans.
    OTEL_BSP_SCHEDULE_DELAY: '100',
    ...more,
  };
  const stack = await startStack({
    home: await openLocalHome(env, folder),
    plan: planStack(env, { queueBackend }),
    env,
    signal: new AbortController().signal,
  });
  return {
    stack,
    receiver,
    client: new PhaselineClient({ baseUrl: stack.apiUrl, retries: 40 }),
    close: async () => {
      await stack.stop();
      await receiver.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const document = new URL('short-document.md', import.meta.url);

/** Submits a job for a document, as a caller that traces its own work if `traceparent` is given. Returns its id. */
export async function submitDocument({ stack }: TracedStack, traceparent?: string): Promise<string> {
  const body = new FormData();
  body.append(SUBMIT_FORM.request, JSON.stringify({ agent: 'creator' }));
  body.append(SUBMIT_FORM.file, new Blob([await readFile(document)]), 'short-document.md');
  const headers = traceparent === undefined ? {} : { traceparent };
  const response = await fetch(`${stack.apiUrl}${routes.jobs()}`, { method: 'POST', headers, body });
  return ((await response.json()) as { jobId: string }).jobId;
}

/** Waits until the job has completed and its root span has arrived; all other spans are sent within the delay of a batch. */
export async function waitForTrace({ client, receiver }: TracedStack, jobId: string): Promise<readonly ReceivedSpan[]> {
  expect(await client.wait(jobId, { timeoutMs: 150_000 })).toMatchObject({ status: 'completed' });
  const traceId = jobId.replaceAll('-', '');
  const findRoot = () => receiver.ofTrace(traceId).some(({ parentSpanId }) => parentSpanId === '');
  await expect.poll(findRoot, { timeout: 30_000 }).toBe(true);
  // Spans that are written after the last message of the job.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return receiver.ofTrace(traceId);
}

/** Asserts that a trace has one root, which is the span of the job, and that the parent of every other span is in it. */
export function expectOneTree(spans: readonly ReceivedSpan[], jobId: string): void {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === '');
  expect(roots.map(({ spanId }) => spanId)).toEqual([jobId.replaceAll('-', '').slice(0, 16)]);
  const orphans = spans.filter(({ parentSpanId }) => parentSpanId !== '' && !ids.has(parentSpanId));
  expect(orphans.map(({ name }) => name)).toEqual([]);
}
