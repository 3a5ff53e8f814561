import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const workflow =
  'name: simple\nversion: 1\nstart: plan\nstates:\n  plan:\n    kind: strategic\n    title: Plan\n    todos: [Think]\n' +
  '    finish: done\n    outcomes:\n      done: { end: completed }\n';
const agent = 'name: writer\ndisplayName: Writer\nworkflow: simple\nmodels: { strategic: m, tactical: m }\ntools: {}\n';

let folder: string;
let orchestrator: OrchestratorForSpecs;
const file = (path: string): string => join(folder, path);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reload-'));
  for (const name of ['agents/writer', 'workflows', 'models']) await mkdir(file(name), { recursive: true });
  await writeFile(file('workflows/simple.yaml'), workflow);
  await writeFile(file('models/m.yaml'), 'name: m\n');
  await writeFile(file('agents/writer/agent.yaml'), agent);
  await writeFile(file('agents/writer/instructions.md'), '# First\n');
  orchestrator = await startOrchestrator({
    PHASELINE_AGENTS_DIR: file('agents'),
    PHASELINE_SHIPPED_DEFINITIONS: '0',
    PHASELINE_WORKFLOWS_DIR: file('workflows'),
    PHASELINE_MODELS_DIR: file('models'),
  });
});
afterAll(async () => {
  await orchestrator.stop();
  await rm(folder, { recursive: true });
});

async function submit(name = 'writer'): Promise<string> {
  const { status, body } = await orchestrator.json('/v1/jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: name }),
  });
  return status === 201 || status === 202 ? String(body['jobId']) : `${status} ${String(body['code'])}`;
}

async function startedWith(jobId: string): Promise<{ name: string; hash: string }> {
  const job = await orchestrator.histories.job(jobId);
  return { name: job!.definition.agent.displayName, hash: job!.submitted.agentHash };
}

const listed = async () =>
  (await orchestrator.json('/v1/agents')).body as { items: Record<string, unknown>[]; complaints?: string[] };

it('gives new jobs what was edited, running ones what they began with, and after a broken edit the last good one', async () => {
  const first = await submit();
  expect(await startedWith(first)).toMatchObject({ name: 'Writer' });

  await writeFile(file('agents/writer/agent.yaml'), agent.replace('Writer', 'Second'));
  const second = await submit();
  expect(await startedWith(second)).toMatchObject({ name: 'Second' });
  expect(orchestrator.log()).toContain('changed agents are taken for new jobs');
  expect((await startedWith(first)).hash).not.toBe((await startedWith(second)).hash);

  await writeFile(file('agents/writer/agent.yaml'), agent.replace('simple', 'simpel').replace('Writer', 'Third'));
  const third = await submit();
  expect(await startedWith(third)).toEqual(await startedWith(second));
  expect(await listed()).toMatchObject({
    items: [{ name: 'writer', displayName: 'Second', outdated: true }],
    complaints: [
      expect.stringMatching(/agent\.yaml:3:11: workflow: there is no workflow 'simpel'.*did you mean 'simple'/),
    ],
  });
  expect(orchestrator.log()).toContain('changed definitions cannot be used; new jobs get the last good version');

  await writeFile(file('agents/writer/agent.yaml'), agent.replace('Writer', 'Fourth'));
  expect(await startedWith(await submit())).toMatchObject({ name: 'Fourth' });
  expect(await listed()).not.toHaveProperty('complaints');
  expect(await startedWith(first)).toMatchObject({ name: 'Writer' });
});

it('keeps the agent with the workflow that it was good with, while that is broken', async () => {
  const before = await orchestrator.histories.job(await submit());
  await writeFile(file('workflows/simple.yaml'), 'name: simple\nversion: [\n');
  const during = await orchestrator.histories.job(await submit());
  expect(during!.submitted.workflowHash).toBe(before!.submitted.workflowHash);
  await writeFile(file('workflows/simple.yaml'), workflow.replace('version: 1', 'version: 2'));
  const after = await orchestrator.histories.job(await submit());
  expect(after!.submitted.workflowHash).not.toBe(before!.submitted.workflowHash);
});

it('takes agents that are added, lets go of those that are removed, and keeps all when the whole folder is away', async () => {
  await cp(file('agents/writer'), file('agents/other'), { recursive: true });
  await writeFile(
    file('agents/other/agent.yaml'),
    (await readFile(file('agents/writer/agent.yaml'), 'utf8')).replace('name: writer', 'name: other'),
  );
  expect(await startedWith(await submit('other'))).toMatchObject({ name: 'Fourth' });
  await rm(file('agents/other'), { recursive: true });
  expect(await submit('other')).toMatch(/unknown_agent$/);
  await rename(file('agents'), file('away'));
  expect(await startedWith(await submit())).toMatchObject({ name: 'Fourth' });
  await rename(file('away'), file('agents'));
  expect(await listed()).not.toHaveProperty('complaints');
});

it('refuses a new agent whose definition is broken with what is wrong, and takes it when it is corrected', async () => {
  await mkdir(file('agents/fresh'));
  await writeFile(file('agents/fresh/instructions.md'), '# Fresh\n');
  await writeFile(file('agents/fresh/agent.yaml'), `${agent.replace('writer', 'fresh')}approvals: [write_file]\n`);
  const { status, body } = await orchestrator.json('/v1/jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'fresh' }),
  });
  expect({ status, code: body['code'] }).toEqual({ status: 422, code: 'unknown_agent' });
  expect(body['detail']).toMatch(
    /^The agent "fresh" cannot be used until its definition is corrected: .*fresh\/agent\.yaml:6:12: approvals: /,
  );
  await writeFile(file('agents/fresh/agent.yaml'), agent.replace('writer', 'fresh'));
  expect(await startedWith(await submit('fresh'))).toMatchObject({ name: 'Writer' });
  await rm(file('agents/fresh'), { recursive: true });
});

it('says in the log what became of an edit, also while nobody submits anything', async () => {
  await writeFile(file('agents/writer/instructions.md'), ' \n');
  await expect.poll(() => orchestrator.log()).toContain('expected instructions for the agent, found an empty file');
});
