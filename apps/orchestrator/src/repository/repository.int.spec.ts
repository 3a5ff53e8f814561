import { buildJobAppend } from '@phaseline/repository';
import type { JobEvent } from '@phaseline/domain';
import type { JobId } from '@phaseline/contracts';
import { ProcessRegistry } from '@phaseline/cluster';
import { contentHash, createPool } from '@phaseline/event-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
beforeAll(async () => {
  orchestrator = await startOrchestrator();
});
afterAll(() => orchestrator?.stop());

const post = (path: string, body: object = {}) =>
  orchestrator.json(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

/** Appends to a job as a tool-runner would. */
async function record(jobId: JobId, event: JobEvent, content?: Buffer): Promise<void> {
  const blobs = content ? [{ hash: contentHash(content), content }] : [];
  for (;;) {
    const { version } = (await orchestrator.repository.loadJob(jobId))!;
    const append = buildJobAppend(jobId, version, [event], { actor: { id: 'tool-runner', kind: 'process' } });
    const done = await orchestrator.store.append(append, { blobs }).catch((error: Error) => {
      if (error.name !== 'WrongExpectedVersion') throw error;
    });
    if (done) return;
  }
}

const repository = { path: '/srv/example', ref: 'main' };
const imported: JobEvent = {
  type: 'RepositoryImported',
  data: {
    ...repository,
    commit: 'c'.repeat(40),
    treeHash: 'd'.repeat(40),
    branch: 'main',
    fileCount: 1,
    bytes: 3,
    submodules: 0,
    tree: { 'repository/a.md': { hash: 'e'.repeat(64), size: 3, writtenAt: '2026-01-01T00:00:00.000Z' } },
  },
};

async function submit(): Promise<JobId> {
  const { body } = await post('/v1/jobs', { agent: 'writer', repository });
  return body['jobId'] as JobId;
}

it('dispatches the first phase only after the import, with the files of the repository', async () => {
  const jobId = await submit();
  await expect
    .poll(async () => (await orchestrator.json(`/v1/jobs/${jobId}`)).body['waitsFor'], { timeout: 60_000 })
    .toMatchObject({ kind: 'import', description: 'a tool-runner to import its repository' });
  expect(await post(`/v1/jobs/${jobId}/repository/patch`)).toMatchObject({ status: 409 });
  expect((await orchestrator.repository.loadJob(jobId))?.phases).toBe(0);
  await record(jobId, imported);
  await expect
    .poll(async () => Object.keys((await orchestrator.repository.loadPhase(jobId, 1))?.tree ?? {}), { timeout: 60_000 })
    .toEqual(['instructions.md', 'repository/a.md']);
});

it('fails the job when the import fails, and imports again when it is retried', async () => {
  const jobId = await submit();
  await record(jobId, { type: 'RepositoryImportFailed', data: { code: 'fetch_failed', message: 'no such branch' } });
  const status = async () => (await orchestrator.json(`/v1/jobs/${jobId}`)).body;
  await expect.poll(async () => (await status())['status'], { timeout: 60_000 }).toBe('failed');
  expect(JSON.stringify(await status())).toContain('no such branch');
  expect(await post(`/v1/jobs/${jobId}/retry`)).toMatchObject({ status: 200 });
  await expect.poll(async () => (await status())['waitsFor'], { timeout: 60_000 }).toMatchObject({ kind: 'import' });
});

it('makes outputs of a job that has ended, and serves the patch', async () => {
  const jobId = await submit();
  await record(jobId, imported);
  await post(`/v1/jobs/${jobId}/cancel`);
  await expect
    .poll(async () => (await orchestrator.json(`/v1/jobs/${jobId}`)).body['status'], { timeout: 60_000 })
    .toBe('cancelled');
  expect((await orchestrator.fetch(`/v1/jobs/${jobId}/repository/patch`)).status).toBe(404);
  const requested = await post(`/v1/jobs/${jobId}/repository/patch`);
  expect(requested).toMatchObject({ status: 202, body: { created: true } });
  expect(await post(`/v1/jobs/${jobId}/repository/patch`)).toMatchObject({
    body: { created: false, output: requested.body['output'] },
  });
  const content = Buffer.from('From c');
  const patch = { hash: contentHash(content), size: content.byteLength };
  const output = requested.body['output'] as string;
  await record(
    jobId,
    {
      type: 'RepositoryOutputMade',
      data: { output, head: 'f'.repeat(40), commits: 1, includesUncommitted: false, patch },
    },
    content,
  );
  expect((await orchestrator.json(`/v1/jobs/${jobId}/repository`)).body).toMatchObject({
    path: '/srv/example',
    commit: 'c'.repeat(40),
    outputs: [{ output, kind: 'patch', status: 'made', commits: 1 }],
  });
  expect(await (await orchestrator.fetch(`/v1/jobs/${jobId}/repository/patch`)).text()).toBe('From c');
  expect((await orchestrator.json(`/v1/jobs/${jobId}`)).body['status']).toBe('cancelled');
});

it('refuses what is no repository, branch or job', async () => {
  for (const wrong of [
    {},
    { url: 'https://user:token@host/a' },
    { url: 'ext::sh' },
    { path: 'relative' },
    { path: '/a', ref: '--x' },
  ])
    expect((await post('/v1/jobs', { agent: 'writer', repository: wrong })).status).toBe(400);
  const { body } = await post('/v1/jobs', { agent: 'writer' });
  expect((await orchestrator.json(`/v1/jobs/${String(body['jobId'])}/repository`)).status).toBe(409);
  const jobId = await submit();
  expect((await post(`/v1/jobs/${jobId}/repository/outputs`, { kind: 'branch', branch: '--force' })).status).toBe(400);
  const none = '0190a8f2-7b1e-7c3d-9e4f-5a6b7c8d9e0f';
  for (const path of ['repository', 'repository/patch'])
    expect((await orchestrator.json(`/v1/jobs/${none}/${path}`)).status).toBe(404);
});

it('refuses a submission while no tool-runner can work with repositories, and stores nothing of it', async () => {
  const pool = createPool(orchestrator.databaseUrls.service, { max: 1 });
  const processes = new ProcessRegistry(pool);
  processes.setAbility('git', '');
  await processes.heartbeat('runner-without-git', 'tool-runner');
  try {
    const { status, body } = await post('/v1/jobs', { agent: 'writer', repository });
    expect([status, body['code']]).toEqual([409, 'repository_unavailable']);
    expect(body['detail']).toMatch(
      /^No tool-runner can work with repositories: it needs git 2\.37 or newer \(found none on /,
    );
    expect(await post('/v1/jobs', { agent: 'writer' })).toMatchObject({ status: 201 });
  } finally {
    await processes.close();
    await pool.end();
  }
  expect(await post('/v1/jobs', { agent: 'writer', repository })).toMatchObject({ status: 201 });
});
