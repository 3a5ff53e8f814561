import { FileChanged, FileNotFound, InvalidRequest, PhaselineClient, RequestRefused } from '@phaseline/client';
import { jobStream, phaseStream } from '@phaseline/domain';
import { createPool } from '@phaseline/event-store';
import { ALL_TENANTS, Principals } from '@phaseline/identity';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Submits a job and waits for its first phase, which no worker of this spec takes. */
async function submitted(): Promise<string> {
  const { jobId } = await client.submit({ agent: 'writer', documents: [{ name: 'a.md', content: 'text' }] });
  await expect.poll(async () => (await client.state(jobId)).phases.length).toBe(1);
  return jobId;
}

async function readEvents(streamId: string): Promise<readonly { type: string; data: unknown }[]> {
  return (await orchestrator.store.read(streamId)).map(({ type, data }) => ({ type, data }));
}

describe('a file that a person writes', () => {
  it('reaches the active phase in the same commit, with a message, and is marked as the change of a person', async () => {
    const jobId = await submitted();
    const response = await client.writeFile(jobId, 'notes/a.md', bytes('by hand'), { reason: 'a hint', isNew: true });
    expect(response).toMatchObject({ jobId, changed: true });
    expect(await client.readText(jobId, 'notes/a.md')).toBe('by hand');
    const edited = (await readEvents(jobStream(jobId))).find(({ type }) => type === 'WorkspaceEdited');
    expect(edited?.data).toMatchObject({ path: 'notes/a.md', file: { size: 7 }, reason: 'a hint', phase: 1 });
    const phase = await readEvents(phaseStream(jobId, 1));
    expect(phase.slice(-2)).toMatchObject([
      { type: 'FileWritten', data: { path: 'notes/a.md', origin: 'person' } },
      { type: 'PhaseSteered', data: { message: expect.stringContaining('I wrote the file notes/a.md (7 bytes)') } },
    ]);
  });

  it('keeps its mode, which the list of files shows', async () => {
    const jobId = await submitted();
    await client.writeFile(jobId, 'run.sh', bytes('echo 1'), { mode: 'executable' });
    await client.writeFile(jobId, 'run.sh', bytes('echo 2'));
    expect(await client.files(jobId)).toContainEqual(expect.objectContaining({ path: 'run.sh', mode: 'executable' }));
    await client.writeFile(jobId, 'run.sh', bytes('echo 2'), { mode: 'plain' });
    expect((await client.files(jobId)).find(({ path }) => path === 'run.sh')).not.toHaveProperty('mode');
  });

  it('is recorded once for one key, and not at all with the content that it has', async () => {
    const jobId = await submitted();
    const options = { idempotencyKey: 'one', reason: 'twice' };
    await client.writeFile(jobId, 'a.md', bytes('x'), options);
    await client.writeFile(jobId, 'a.md', bytes('x'), options);
    expect(await client.writeFile(jobId, 'a.md', bytes('x'))).toMatchObject({ changed: false });
    const edits = (await readEvents(jobStream(jobId))).filter(({ type }) => type === 'WorkspaceEdited');
    expect(edits).toHaveLength(1);
  });

  it('may be large and empty', async () => {
    const jobId = await submitted();
    await client.writeFile(jobId, 'large.bin', new Uint8Array(3_000_000).fill(7));
    await client.writeFile(jobId, 'empty.txt', bytes(''));
    const sizes = (await client.files(jobId)).map(({ path, size }) => [path, size]);
    expect(sizes).toEqual(
      expect.arrayContaining([
        ['empty.txt', 0],
        ['large.bin', 3_000_000],
      ]),
    );
  });
});

describe('an edit is refused', () => {
  it('when the file is not what its editor saw, so that no change of the agent is lost', async () => {
    const jobId = await submitted();
    const [file] = (await client.files(jobId)).filter(({ path }) => path === 'documents/a.md');
    await client.writeFile(jobId, 'documents/a.md', bytes('first'), { ifMatch: file!.hash });
    const late = client.writeFile(jobId, 'documents/a.md', bytes('second'), { ifMatch: file!.hash });
    await expect(late).rejects.toThrow(FileChanged);
    await expect(late).rejects.toMatchObject({ status: 412 });
    await expect(client.writeFile(jobId, 'documents/a.md', bytes('x'), { isNew: true })).rejects.toThrow(FileChanged);
    await expect(client.deleteFile(jobId, 'documents/a.md', { ifMatch: file!.hash })).rejects.toThrow(FileChanged);
    expect(await client.readText(jobId, 'documents/a.md')).toBe('first');
  });

  it('for evidence, unusable paths, bodies of another kind and conditions that are no ETag', async () => {
    const jobId = await submitted();
    await expect(client.writeFile(jobId, 'archive/1.md', bytes('x'))).rejects.toThrow('managed by the system');
    await expect(client.writeFile(jobId, 'documents', bytes('x'))).rejects.toThrow('documents is a folder');
    const put = (path: string, headers: Record<string, string>, body = 'x') =>
      orchestrator.json(`/v1/jobs/${jobId}/files/${path}`, { method: 'PUT', headers, body });
    expect((await put('a.md', { 'content-type': 'application/json' }, '{}')).status).toBe(415);
    const octets = { 'content-type': 'application/octet-stream' };
    expect((await put('a%00.md', octets)).status).toBe(400);
    expect((await put('a.md', { ...octets, 'if-match': 'W/"ab"' })).status).toBe(400);
    expect((await put('a.md?mode=link', octets)).status).toBe(400);
    await expect(client.writeFile(jobId, 'a.md', bytes('x'), { reason: ' ' })).rejects.toThrow(InvalidRequest);
  });

  it('for a job that has ended or does not exist, and for a file that is not there', async () => {
    const jobId = await submitted();
    await expect(client.deleteFile(jobId, 'nope.md')).rejects.toThrow(FileNotFound);
    await client.cancel(jobId);
    await expect.poll(async () => (await client.get(jobId)).status).toBe('cancelled');
    await expect(client.writeFile(jobId, 'a.md', bytes('x'))).rejects.toThrow(RequestRefused);
    await expect(client.deleteFile(jobId, 'documents/a.md')).rejects.toThrow('the job has ended');
    const missing = client.writeFile('00000000-0000-7000-8000-000000000000', 'a.md', bytes('x'));
    await expect(missing).rejects.toMatchObject({ code: 'job_not_found' });
  });
});

it('a person without the right files:write changes nothing, and the record names who had it', async () => {
  const guarded = await startOrchestrator({ PHASELINE_API_KEYS: 'root=0123456789abcdef0123456789abcdef' });
  onTestFinished(async () => void (await guarded.stop()));
  const pool = createPool(guarded.databaseUrls.service);
  onTestFinished(() => pool.end());
  const principals = new Principals(pool, guarded.store);
  const admin = { id: 'root', kind: 'service', roles: [{ role: 'admin', tenant: ALL_TENANTS }] } as const;
  const createClient = async (id: string, role: 'viewer' | 'operator'): Promise<PhaselineClient> => {
    await principals.create(admin, id, 'person');
    await principals.grant(admin, id, role, 'default');
    const { key } = await principals.createKey(admin, id, { label: '' });
    return new PhaselineClient({ baseUrl: guarded.url, apiKey: key, retries: 0 });
  };
  const [viewer, operator] = [await createClient('vera', 'viewer'), await createClient('otto', 'operator')];
  const { jobId } = await operator.submit({ agent: 'writer', documents: [{ name: 'a.md', content: 'text' }] });
  const forbidden = { status: 403 };
  await expect(viewer.writeFile(jobId, 'a.md', bytes('x'))).rejects.toMatchObject(forbidden);
  await expect(viewer.deleteFile(jobId, 'documents/a.md')).rejects.toMatchObject(forbidden);
  await operator.writeFile(jobId, 'a.md', bytes('by otto'));
  const edits = (await guarded.store.read(jobStream(jobId))).filter(({ type }) => type === 'WorkspaceEdited');
  expect(edits.map(({ data }) => data)).toMatchObject([{ path: 'a.md', actor: 'otto' }]);
});

it('a deleted file disappears for the agent and stays in the history', async () => {
  const jobId = await submitted();
  const { position } = await client.state(jobId);
  await client.deleteFile(jobId, 'documents/a.md', { reason: 'outdated' });
  await expect(client.readText(jobId, 'documents/a.md')).rejects.toThrow(FileNotFound);
  expect(await client.readText(jobId, 'documents/a.md', { at: position })).toBe('text');
  expect((await readEvents(phaseStream(jobId, 1))).slice(-2)).toMatchObject([
    { type: 'FileDeleted', data: { origin: 'person' } },
    { type: 'PhaseSteered', data: { message: 'I deleted the file documents/a.md. Reason: outdated' } },
  ]);
});
