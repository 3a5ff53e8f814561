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
  const job = await orchestrator.repository.loadJob(jobId);
  return { name: job!.definition.agent.displayName, hash: job!.submitted.agentHash };
}

const listed = async () =>
  (await orchestrator.json('/v1/agents')).body as { items: Record<string, unknown>[]; problems?: string[] };

it('uses an edited agent for new jobs only, and the last valid version after a broken edit', async () => {
  const first = await submit();
  expect(await startedWith(first)).toMatchObject({ name: 'Writer' });

  await writeFile(file('agents/writer/agent.yaml'), agent.replace('Writer', 'Second'));
  const second = await submit();
  expect(await startedWith(second)).toMatchObject({ name: 'Second' });
  expect(orchestrator.log()).toContain('new jobs use the changed agents');
  expect((await startedWith(first)).hash).not.toBe((await startedWith(second)).hash);

  await writeFile(file('agents/writer/agent.yaml'), agent.replace('simple', 'simpel').replace('Writer', 'Third'));
  const third = await submit();
  expect(await startedWith(third)).toEqual(await startedWith(second));
  expect(await listed()).toMatchObject({
    items: [{ name: 'writer', displayName: 'Second', isOutdated: true }],
    problems: [
      {
        file: expect.stringMatching(/agent\.yaml$/),
        line: 3,
        column: 11,
        message: expect.stringMatching(/^workflow: there is no workflow 'simpel'.*did you mean 'simple'/),
      },
    ],
  });
  expect(orchestrator.log()).toContain('changed definitions are invalid; new jobs use the last valid version');

  await writeFile(file('agents/writer/agent.yaml'), agent.replace('Writer', 'Fourth'));
  expect(await startedWith(await submit())).toMatchObject({ name: 'Fourth' });
  expect(await listed()).not.toHaveProperty('problems');
  expect(await startedWith(first)).toMatchObject({ name: 'Writer' });
});

it('keeps an agent with its last valid workflow while the workflow is broken', async () => {
  const before = await orchestrator.repository.loadJob(await submit());
  await writeFile(file('workflows/simple.yaml'), 'name: simple\nversion: [\n');
  const during = await orchestrator.repository.loadJob(await submit());
  expect(during!.submitted.workflowHash).toBe(before!.submitted.workflowHash);
  await writeFile(file('workflows/simple.yaml'), workflow.replace('version: 1', 'version: 2'));
  const after = await orchestrator.repository.loadJob(await submit());
  expect(after!.submitted.workflowHash).not.toBe(before!.submitted.workflowHash);
});

it('adds and removes agents, and keeps all of them when the whole folder is missing', async () => {
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
  // A reload that began before the folder came back may still be the last one.
  await expect.poll(listed).not.toHaveProperty('problems');
});

it('refuses a new agent with an invalid definition, names the error, and accepts the agent once it is corrected', async () => {
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

it('logs whether an edit was accepted, even while no job is submitted', async () => {
  await writeFile(file('agents/writer/instructions.md'), ' \n');
  await expect.poll(() => orchestrator.log()).toContain('expected instructions for the agent, found an empty file');
});
