import { createQueues } from '@phaseline/queue';
import { SpanReceiver } from '@phaseline/telemetry/testing';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ServiceProcess } from '../testing/service-process.js';

const jobId = '0190a8f2-7b1e-7c3d-9e4f-5a6b7c8d9e0f';
const traceId = jobId.replaceAll('-', '');
const printLoaded = `--import=${new URL('./print-loaded.fixture.mjs', import.meta.url).href}`;

let database: TestDatabase;
const running: ServiceProcess[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.kill();
});
afterAll(() => database.drop());

function start(env: NodeJS.ProcessEnv = {}): ServiceProcess {
  const service = new ServiceProcess({ DATABASE_URL: database.serviceUrl, NODE_OPTIONS: printLoaded, ...env });
  running.push(service);
  return service;
}

/** Sends calls to the service, which handles each in a span of the job. */
async function sendCalls(callIds: readonly string[]): Promise<void> {
  const config = { backend: 'postgres', connectionString: database.serviceUrl } as const;
  const queues = await createQueues(config, { onDeadLetter: async () => {}, onError: () => {} });
  for (const callId of callIds) await queues.send('tools', { jobId, phase: 1, callId, epoch: 1 });
  await queues.close(5_000);
}

const listLoaded = ({ output }: ServiceProcess): readonly string[] =>
  [...output.matchAll(/^loaded (\S+)$/gm)].map(([, name]) => name!).sort();

describe('the packages that a service loads', () => {
  it('are only the interface while telemetry is off', async () => {
    const service = start();
    await service.waitForUrl();
    await sendCalls(['quick']);
    await service.waitForOutput('handling quick');
    service.signal('SIGTERM');
    await service.ended;
    expect(listLoaded(service)).toEqual(['@opentelemetry/api']);
  });

  it('are those of the SDK for traces while it is on, which sends its spans before it ends', async () => {
    const receiver = await SpanReceiver.start();
    const service = start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, OTEL_BSP_SCHEDULE_DELAY: '60000' });
    await service.waitForUrl();
    await sendCalls(['quick']);
    await service.waitForOutput('handling quick');
    service.signal('SIGTERM');
    expect((await service.ended).code).toBe(0);
    await receiver.close();
    expect(listLoaded(service)).toEqual(
      expect.arrayContaining(['@opentelemetry/exporter-trace-otlp-proto', '@opentelemetry/sdk-trace']),
    );
    expect(receiver.spans).toMatchObject([{ service: 'example', name: 'process tools', traceId }]);
  });
});

describe('a service whose collector is down', () => {
  it('counts the spans that are lost, logs them once, and handles its messages as before', async () => {
    const receiver = await SpanReceiver.start();
    await receiver.close();
    const service = start({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_BSP_MAX_QUEUE_SIZE: '2',
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    });
    const url = await service.waitForUrl();
    const callIds = Array.from({ length: 8 }, (_, call) => `quick-${call}`);
    await sendCalls(callIds);
    for (const callId of callIds) await service.waitForOutput(`handling ${callId}`);
    // A batch of two is being sent, two wait, and four find no place.
    const readMetrics = async () => (await fetch(`${url}/metrics`)).text();
    await expect.poll(readMetrics).toMatch(/phaseline_telemetry_spans_dropped_total\{.*\} 4\n/);
    expect(await readMetrics()).toMatch(/phaseline_queue_deliveries_total\{.*outcome="completed".*\} 8\n/);
    service.signal('SIGTERM');
    expect((await service.ended).code).toBe(0);
    const lines = service.logEntries.filter(({ message }) => String(message).startsWith('telemetry could not be sent'));
    expect(lines).toMatchObject([{ level: 'warn', dropped: 1, reason: 'the queue is full' }]);
  });
});
