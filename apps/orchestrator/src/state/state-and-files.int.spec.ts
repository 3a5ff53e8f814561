import { createHash, randomUUID } from 'node:crypto';
import { FileNotFound, JobNotFound, PhaselineClient } from '@phaseline/client';
import { foldJob, decodeJobEvent } from '@phaseline/domain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { phaseEvents, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
let jobId: string;

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const binary = Uint8Array.from({ length: 2_000 }, (_, index) => (index * 31) % 256);
const odd = 'output/a%b c#d?e+f;ü/"q".md';
const long = `output/${'x'.repeat(190)}/${'y'.repeat(190)}/z.md`;

async function write(phase: number, path: string, content: Uint8Array): Promise<void> {
  const hash = hashOf(content);
  await orchestrator.inPhase(jobId, phase, [phaseEvents.wrote(path, hash, content.byteLength)], [{ hash, content }]);
}

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  ({ jobId } = await client.submit({ agent: 'writer', documents: [{ name: 'in.md', content: 'in' }] }));
  await write(1, 'output/text.md', bytes('first'));
  await orchestrator.inPhase(jobId, 1, [phaseEvents.answered(1), phaseEvents.todoDone(1)]);
  await write(1, 'output/text.md', bytes('second'));
  await write(1, 'output/data.bin', binary);
  await write(1, odd, bytes('odd'));
  await write(1, long, bytes('long'));
  await write(1, 'output/page.html', bytes('<script>alert(1)</script>'));
  await orchestrator.inPhase(jobId, 1, [phaseEvents.todoDone(2), phaseEvents.ended('planned')]);
  await orchestrator.inPhase(jobId, 2, [
    phaseEvents.answered(1),
    { type: 'FileDeleted', data: { path: 'output/data.bin' } },
    phaseEvents.todoDone(1),
    phaseEvents.ended('done'),
  ]);
  await client.wait(jobId, { pollMs: 20 });
});
afterAll(() => orchestrator.stop());

/** The position of the n-th event of a type. */
async function positionOf(type: string, occurrence = 1): Promise<number> {
  const events = await orchestrator.store.readCorrelation(jobId, { types: [type] });
  return events[occurrence - 1]!.position;
}

describe('the state of a job', () => {
  it('equals the fold of its events, at every position', async () => {
    for (const { position } of await orchestrator.store.readCorrelation(jobId)) {
      const state = await client.state(jobId, { at: position });
      expect(state).toMatchObject({ jobId, position });
      const stream = (await orchestrator.store.read(`job-${jobId}`)).filter((event) => event.position <= position);
      const { version, status, phases } = foldJob(stream.map(decodeJobEvent))!;
      expect(state.job).toMatchObject({ version, status, phases });
      expect(state.files).toEqual(await client.files(jobId, { at: position }));
    }
  });

  it('has phases, todos, files and spending as they were then', async () => {
    const at = await positionOf('TodoCompleted');
    const { job, phase, phases, files, usage } = await client.state(jobId, { at });
    expect({ ...job, phases, usage }).toMatchObject({
      status: 'running',
      phases: [{ phase: 1, state: 'plan', kind: 'strategic', name: 'Plan', attempt: 1 }],
      spending: { steps: 0 },
      usage: { steps: 1, inputTokens: 100, costMicroUsd: 9 },
    });
    expect(files.map(({ path }) => path)).toEqual(['documents/in.md', 'instructions.md', 'output/text.md']);
    expect(phase).toMatchObject({
      todos: {
        list: [
          { id: 1, status: 'done' },
          { id: 2, status: 'open' },
        ],
      },
      money: { spending: { steps: 1 } },
    });
  });

  it('is the current state when no position is given, with every phase and its outcome, and nothing counted twice', async () => {
    const { job, phases, usage } = await client.state(jobId);
    expect({ ...job, phases, usage }).toMatchObject({
      status: 'completed',
      phases: [
        { phase: 1, result: { kind: 'completed', outcome: 'planned' }, spending: { steps: 1 } },
        { phase: 2, result: { kind: 'completed', outcome: 'done' }, spending: { steps: 1 } },
      ],
      spending: { steps: 2 },
      usage: { steps: 2, inputTokens: 200, costMicroUsd: 18 },
    });
  });

  it('does not exist before the job did, nor at an invalid position', async () => {
    await expect(client.state(jobId, { at: 0 })).rejects.toThrow(/did not exist yet at position 0/);
    await expect(client.state(randomUUID())).rejects.toThrow(JobNotFound);
    expect(await orchestrator.json(`/v1/jobs/${jobId}/state?at=now`)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'at' }] },
    });
  });
});

describe('the files of a job', () => {
  it('are listed as they are now and as they were', async () => {
    const paths = async (at?: number) =>
      (await client.files(jobId, at === undefined ? {} : { at })).map(({ path }) => path);
    expect(await paths()).toEqual([
      'documents/in.md',
      'instructions.md',
      odd,
      'output/completion.json',
      'output/page.html',
      'output/text.md',
      long,
    ]);
    expect(await paths(await positionOf('JobSubmitted'))).toEqual(['documents/in.md', 'instructions.md']);
    expect(await paths((await positionOf('FileDeleted')) - 1)).toContain('output/data.bin');
  });

  it('are returned byte for byte, as of any event, even with unusual names', async () => {
    expect(await client.readText(jobId, 'output/text.md')).toBe('second');
    expect(await client.readText(jobId, 'output/text.md', { at: await positionOf('TodoCompleted') })).toBe('first');
    expect(
      Buffer.from(await client.readFile(jobId, 'output/data.bin', { at: await positionOf('PhaseCompleted') })).equals(
        Buffer.from(binary),
      ),
    ).toBe(true);
    expect(await client.readText(jobId, odd)).toBe('odd');
    expect(await client.readText(jobId, long)).toBe('long');
  });

  it('are never run by a browser', async () => {
    const page = await orchestrator.fetch(`/v1/jobs/${jobId}/files/output/page.html`);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringMatching(/^attachment; filename="page\.html"/),
      'content-security-policy': "default-src 'none'; sandbox",
    });
    const data = await orchestrator.fetch(
      `/v1/jobs/${jobId}/files/output/data.bin?at=${await positionOf('PhaseCompleted')}`,
    );
    expect(data.headers.get('content-type')).toBe('application/octet-stream');
  });

  it('are not sent again to callers that have them', async () => {
    const first = await orchestrator.fetch(`/v1/jobs/${jobId}/files/output/text.md`);
    const etag = first.headers.get('etag')!;
    expect(etag).toBe(`"${hashOf(bytes('second'))}"`);
    const second = await orchestrator.fetch(`/v1/jobs/${jobId}/files/output/text.md`, {
      headers: { 'if-none-match': etag },
    });
    expect(second.status).toBe(304);
    expect(await second.text()).toBe('');
  });

  it('are not found when they do not exist, and paths cannot leave the workspace', async () => {
    await expect(client.readFile(jobId, 'output/none.md')).rejects.toThrow(FileNotFound);
    await expect(client.readFile(jobId, 'output/data.bin')).rejects.toThrow(FileNotFound);
    await expect(client.readFile(jobId, 'constructor')).rejects.toThrow(FileNotFound);
    await expect(client.files(randomUUID())).rejects.toThrow(JobNotFound);
    for (const path of ['..%2f..%2fetc%2fpasswd', 'output%2f..%2f..%2fx', '%2fetc%2fpasswd', 'a%00b', 'a%5cb']) {
      expect(await orchestrator.json(`/v1/jobs/${jobId}/files/${path}`), path).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      });
    }
  });
});
