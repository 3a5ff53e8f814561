import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { phaseStream, workflowSchema } from '@phaseline/domain';
import { toolSettingsSchema } from '@phaseline/contracts';
import { createCommandsPack, DiskFolders } from '@phaseline/remote-packs';
import { Sandbox } from '@phaseline/sandbox';
import { memoryPack, scriptsPack } from '@phaseline/inline-packs';
import { load } from 'js-yaml';
import { mkdtempSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine, openStore, type OpenStore } from '@phaseline/harness';
import { honestCode, lazyCode } from './lazy-code.js';
import { LAZY_TOOLS, type Files, type LazyModel } from './lazy-model.js';
import { honestReport, lazyReports } from './lazy-reports.js';

let opened: OpenStore;
const workFolder = mkdtempSync(join(tmpdir(), 'phaseline-work-'));
const sandbox = new Sandbox({ mode: 'auto' });
const commands = createCommandsPack({ folders: new DiskFolders(workFolder), sandbox });
beforeAll(async () => {
  opened = await openStore();
});
afterAll(async () => {
  await rm(workFolder, { recursive: true, force: true });
  await opened.close();
});

const workflow = workflowSchema.parse(
  load(readFileSync(new URL('../../../../../workflows/phase-alternation.yaml', import.meta.url), 'utf8')),
);
const settings = toolSettingsSchema.parse({ commands: { allow: ['node'], path: [dirname(process.execPath)] } });

/** Runs a job to its end on PostgreSQL. Returns its status, its final workspace and the codes of refused calls. */
async function runJob({
  task,
  policy,
}: LazyModel): Promise<{ status: string; files: Files; refusedCalls: readonly string[] }> {
  const { store } = opened;
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  const engine = new Engine({
    store,
    policy,
    packs: [memoryPack, scriptsPack, commands],
    workflow,
    files: task.files.map((file) => ({ path: file.path, content: encode(file.content) })),
    agent: { tools: LAZY_TOOLS, deliverables: [...task.deliverables], todos: { min: 1, max: 20 }, settings },
  });
  const jobId = await engine.submit({
    instructions: task.instructions,
    documents: task.documents.map(({ name, content: text }) => ({ name, content: encode(text) })),
  });
  await engine.run(jobId);
  const job = await engine.loadJob(jobId);
  const files = new Map<string, string>();
  const tree = (await engine.loadPhase(jobId, job.phases)).tree;
  for (const [path, { hash }] of Object.entries(tree))
    files.set(path, Buffer.from((await store.blobs.get(hash))!).toString());
  const refusedCalls: string[] = [];
  for (let phase = 1; phase <= job.phases; phase += 1)
    for (const { type, data } of await store.read(phaseStream(jobId, phase)))
      if (type === 'ToolCallDenied' || type === 'ToolCallFailed') refusedCalls.push(String(data['code']));
  return { status: job.status, files, refusedCalls };
}

describe.each([
  ['a report', honestReport, lazyReports],
  ['code', honestCode, lazyCode],
])('a job that must produce %s', (_task, honest, lazy) => {
  it('is completed by a model that does the work, without flaws', async () => {
    const { status, files } = await runJob(honest);
    expect({ status, flaws: await honest.task.findFlaws(files) }).toEqual({ status: 'completed', flaws: [] });
  });

  it.each(lazy.map((model) => [model.name, model] as const))('with a model that %s', async (_name, model) => {
    const { status, files, refusedCalls } = await runJob(model);
    const flaws = await model.task.findFlaws(files);
    // The work is not done, even if the job has completed.
    expect(flaws).not.toEqual([]);
    expect(refusedCalls).toEqual(model.refusedCalls ?? []);
    expect(status === 'completed').toBe(model.isAcceptedToday);
  });
});
