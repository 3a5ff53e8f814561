import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { flushSpans, genAi, own, semantic, startTelemetry, startWork, traceWork } from '@phaseline/telemetry';
import { requireCount } from './bench-failed.js';

/** Maximum processor time per step with telemetry on, in microseconds. */
export const MAX_STEP_MICROS = 200;
/** Spans of a step: a model call with one attempt, two tool calls, an append and a message. */
const SPANS_PER_STEP = 6;
/** Steps between two waits for the collector, so that no queue is full. */
const STEPS_PER_FLUSH = 200;

export interface TelemetryRow {
  readonly telemetry: 'off' | 'on';
  readonly steps: number;
  /** Processor time of all threads of the process per step, in microseconds, beyond that of the same functions without spans. */
  readonly cpuMicros: number;
  readonly spans: number;
}

const place = { jobId: '0195f1c2-aaaa-7bbb-8ccc-0123456789ab', phase: 2 };
const toolAttributes = {
  [genAi.operationName]: 'execute_tool',
  [genAi.toolName]: 'write_file',
  [genAi.toolType]: 'function',
  [genAi.toolCallId]: 'call_2_1_1',
  [genAi.agentName]: 'writer',
  [own.toolLane]: 'inline',
};
const chatAttributes = {
  [genAi.operationName]: 'chat',
  [genAi.providerName]: 'openai',
  [genAi.requestModel]: 'model',
  [genAi.requestMaxTokens]: 8_192,
  [genAi.conversationId]: `phase-${place.jobId}-2`,
  [genAi.agentName]: 'writer',
  [own.step]: 1,
  [own.callPurpose]: 'step',
};
const answerAttributes = {
  [genAi.responseFinishReasons]: ['tool_call'],
  [genAi.inputTokens]: 1_000,
  [genAi.outputTokens]: 100,
  [genAi.cachedInputTokens]: 0,
};

const work = async (): Promise<void> => {};

/** The functions of a step, without spans: the attempt is part of the model call. */
async function stepWithoutSpans(): Promise<void> {
  for (let part = 1; part < SPANS_PER_STEP; part += 1)
    await (async () => {
      await work();
    })();
}

async function step(): Promise<void> {
  await traceWork({ name: 'chat model', kind: 'client', place, hasChildren: true }, async (span) => {
    span.set(chatAttributes);
    const attempt = startWork({ name: 'POST', kind: 'client', attributes: { [semantic.httpMethod]: 'POST' } });
    await work();
    attempt.set({ [semantic.httpStatus]: 200 });
    attempt.end();
    span.set(answerAttributes);
  });
  for (const name of ['execute_tool write_file', 'execute_tool todo_complete'])
    await traceWork({ name, place }, async (span) => {
      span.set(toolAttributes);
      await work();
    });
  await traceWork({ name: 'append', place, attributes: { [own.events]: 6 } }, work);
  await traceWork({ name: 'send tools', kind: 'producer', place }, async (span) => {
    span.set({ [semantic.messagingSystem]: 'bullmq', [semantic.messagingDestination]: 'tools' });
    await work();
  });
}

/** Measures what spans add to a step: with telemetry off, and on with a collector in another process. */
export async function measureTelemetry(options: { readonly steps: number }): Promise<readonly TelemetryRow[]> {
  // The first rounds compile the code.
  await measureCpu(stepWithoutSpans, options.steps);
  await measureCpu(step, options.steps);
  const bare = await measureCpu(stepWithoutSpans, options.steps);
  const off = await measureCpu(step, options.steps);
  const collector = await startCollector();
  let dropped = 0;
  const telemetry = await startTelemetry({
    endpoint: collector.endpoint,
    resource: { 'service.name': 'bench' },
    maxQueuedSpans: 8_192,
    hasContent: false,
    sendsTraceparent: false,
    scrub: (text) => text,
    onDropped: (spans) => (dropped += spans),
    logProblem: ({ reason }) => process.stderr.write(`${reason}\n`),
  });
  await measureCpu(step, options.steps);
  const on = await measureCpu(step, options.steps);
  await telemetry.close(10_000);
  collector.stop();
  requireCount('dropped spans', dropped, 0);
  return [
    { telemetry: 'off', steps: options.steps, cpuMicros: off - bare, spans: 0 },
    { telemetry: 'on', steps: options.steps, cpuMicros: on - bare, spans: SPANS_PER_STEP },
  ];
}

/** Returns the processor time per step in microseconds, with that of sending the spans. */
async function measureCpu(takeStep: () => Promise<void>, steps: number): Promise<number> {
  const before = process.cpuUsage();
  for (let taken = 1; taken <= steps; taken += 1) {
    await takeStep();
    if (taken % STEPS_PER_FLUSH === 0) await flushSpans();
  }
  await flushSpans();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / steps;
}

/** Starts a collector that discards what it receives, in its own process, whose processor time does not count. */
async function startCollector(): Promise<{ readonly endpoint: string; stop(): void }> {
  const script = `require('node:http').createServer((request, response) => request.resume().on('end', () => response.end()))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { endpoint: `http://127.0.0.1:${port.toString().trim()}`, stop: () => void child.kill() };
}
