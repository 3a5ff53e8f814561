import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { PhaselineClient, type EventRecord } from '@phaseline/client';
import { getSchemaVersion } from '@phaseline/domain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { phaseEvents, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

/** Runs a job to its end. */
async function endedJob(): Promise<string> {
  const { jobId } = await client.submit({ agent: 'writer' });
  await orchestrator.inPhase(jobId, 1, [phaseEvents.answered(1), phaseEvents.todoDone(1), phaseEvents.todoDone(2)]);
  await orchestrator.inPhase(jobId, 1, [phaseEvents.completed()]);
  await client.wait(jobId, { pollMs: 20 });
  return jobId;
}

const positions = (events: readonly { position: number }[]): number[] => events.map(({ position }) => position);
const recorded = async (jobId: string): Promise<number[]> => positions(await orchestrator.store.readCorrelation(jobId));

/** Returns the text of a complete event stream. */
async function stream(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await orchestrator.fetch(path, { headers: { accept: 'text/event-stream', ...headers } });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  return response.text();
}
const ids = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

describe('the events of a job in pages', () => {
  it('are complete, without repetition and in the recorded order', async () => {
    const jobId = await endedJob();
    const seen: EventRecord[] = [];
    let after = 0;
    for (;;) {
      const page = await client.eventPage(jobId, { after, limit: 3 });
      seen.push(...page.items);
      if (page.nextAfter === undefined) break;
      after = page.nextAfter;
    }
    expect(positions(seen)).toEqual(await recorded(jobId));
    expect(seen[0]).toMatchObject({
      type: 'JobSubmitted',
      version: 1,
      streamId: `job-${jobId}`,
      schemaVersion: getSchemaVersion('JobSubmitted'),
      metadata: { actor: { id: userInfo().username, kind: 'person' } },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(seen.at(-1)?.type).toBe('JobCompleted');
  });

  it('can be filtered by type', async () => {
    const jobId = await endedJob();
    const { items } = await client.eventPage(jobId, { types: ['TodoCompleted', 'JobCompleted'] });
    expect(items.map(({ type }) => type)).toEqual(['TodoCompleted', 'TodoCompleted', 'JobCompleted']);
  });

  it('are refused for an invalid query', async () => {
    const jobId = await endedJob();
    for (const query of ['after=-1', 'after=x', 'limit=0', 'limit=100000', 'types=no-name', 'before=3']) {
      expect(await orchestrator.json(`/v1/jobs/${jobId}/events?${query}`), query).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      });
    }
    expect(await orchestrator.json(`/v1/jobs/${randomUUID()}/events`)).toMatchObject({
      status: 404,
      body: { code: 'job_not_found' },
    });
    expect(
      await orchestrator.json(`/v1/jobs/${jobId}/events`, {
        headers: { accept: 'text/event-stream', 'last-event-id': '-4' },
      }),
    ).toMatchObject({ status: 400 });
  });
});

describe('the events of a job as a stream', () => {
  it('start with the first event and end with the end of the job', async () => {
    const jobId = await endedJob();
    const text = await stream(`/v1/jobs/${jobId}/events`);
    expect(ids(text)).toEqual(await recorded(jobId));
    expect(text.startsWith(': keep-alive\n\n')).toBe(true);
    expect(text.endsWith('event: end\ndata: {"status":"completed"}\n\n')).toBe(true);
  });

  it('continue after any position; Last-Event-ID overrides the query', async () => {
    const jobId = await endedJob();
    const all = await recorded(jobId);
    for (const cut of [1, 3, all.length - 1]) {
      const after = all[cut - 1]!;
      expect(ids(await stream(`/v1/jobs/${jobId}/events?after=${after}`))).toEqual(all.slice(cut));
      expect(ids(await stream(`/v1/jobs/${jobId}/events?after=0`, { 'last-event-id': String(after) }))).toEqual(
        all.slice(cut),
      );
    }
    const behind = await stream(`/v1/jobs/${jobId}/events`, { 'last-event-id': String(all.at(-1)! + 1_000) });
    expect(behind).toBe(': keep-alive\n\nevent: end\ndata: {"status":"completed"}\n\n');
  });

  it('arrive as they happen, the ends of phases without waiting for the next poll', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    const types: string[] = [];
    const following = (async () => {
      for await (const { type } of client.events(jobId)) types.push(type);
    })();
    await expect.poll(() => types).toContain('PhaseStarted');
    await orchestrator.inPhase(jobId, 1, [phaseEvents.answered(1)]);
    await expect.poll(() => types).toContain('ModelResponded');
    await orchestrator.inPhase(jobId, 1, [
      phaseEvents.todoDone(1),
      phaseEvents.todoDone(2),
      phaseEvents.ended('planned'),
    ]);
    await expect.poll(() => types.filter((type) => type === 'PhaseStarted')).toHaveLength(2);
    await client.cancel(jobId);
    await following;
    expect(types.slice(-2)).toEqual(expect.arrayContaining(['JobCancelled', 'PhaseCancelled']));
    expect(types).toHaveLength((await recorded(jobId)).length);
  });

  it('stop when the reader disconnects, and the server stops reading the log for it', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    const response = await orchestrator.fetch(`/v1/jobs/${jobId}/events`, { headers: { accept: 'text/event-stream' } });
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    await expect.poll(() => orchestrator.openStreams()).toBe(0);
    await client.cancel(jobId);
  });

  it('wait for a slow reader, and are complete when it reads', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    // Below the length at which a text is stored separately and only previewed.
    const text = 'x'.repeat(15_000);
    for (let step = 1; step <= 400; step += 1) {
      await orchestrator.inPhase(jobId, 1, [
        {
          ...phaseEvents.answered(step),
          data: { ...phaseEvents.answered(step).data, content: text, reasoning: text },
        } as never,
      ]);
    }
    await client.cancel(jobId);
    const socket = await slowRequest(`/v1/jobs/${jobId}/events`);
    // Long enough for a server without back-pressure to read everything into memory and end its stream.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(orchestrator.openStreams()).toBe(1);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
    await once(socket, 'close');
    expect(ids(Buffer.concat(chunks).toString())).toHaveLength((await recorded(jobId)).length);
  });

  it('stop without the end event when the server stops, so that the reader can continue elsewhere', async () => {
    const other = await startOrchestrator({}, { beside: orchestrator });
    const { jobId } = await client.submit({ agent: 'writer' });
    const response = await other.fetch(`/v1/jobs/${jobId}/events`, { headers: { accept: 'text/event-stream' } });
    const text = response.text();
    await expect.poll(() => other.openStreams()).toBe(1);
    expect(await other.stop()).toBe(true);
    expect(await text).not.toContain('event: end');
    await client.cancel(jobId);
  });

  it('answer HEAD without a stream', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    const response = await orchestrator.fetch(`/v1/jobs/${jobId}/events`, {
      method: 'HEAD',
      headers: { accept: 'text/event-stream' },
    });
    expect(response.status).toBe(200);
    expect(orchestrator.openStreams()).toBe(0);
    await client.cancel(jobId);
  });
});

/** Opens a stream without reading the response yet. */
async function slowRequest(path: string): Promise<Socket> {
  const { hostname, port, host } = new URL(orchestrator.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\nConnection: close\r\n\r\n`);
  return socket;
}
