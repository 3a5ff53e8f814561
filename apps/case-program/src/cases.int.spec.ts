import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { caseMessageSchema, type CaseMessage } from '@phaseline/contracts';
import { createThreePhasePolicy, Engine, openStore, type OpenStore } from '@phaseline/harness';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addCase } from './add-case.js';
import { runCases } from './run-cases.js';

const defects = join(import.meta.dirname, '../../../libs/cases/defects');
const folders = {
  agentsDir: [join(defects, 'agents')],
  workflowsDir: [join(defects, 'workflows')],
  modelsDir: [join(defects, 'models')],
};

let opened: OpenStore;
let folder: string;
beforeAll(async () => {
  opened = await openStore();
  folder = await mkdtemp(join(tmpdir(), 'phaseline-cases-'));
});
afterAll(async () => {
  await opened.close();
  await rm(folder, { recursive: true });
});

async function collect(request: object): Promise<readonly CaseMessage[]> {
  const messages: CaseMessage[] = [];
  for await (const message of runCases({ kind: 'run', folders, ...request }, {}))
    messages.push(caseMessageSchema.parse(JSON.parse(JSON.stringify(message))));
  return messages;
}

it('a job in PostgreSQL becomes a case, which is never written over, and the log stays as it is', async () => {
  const engine = new Engine({ store: opened.store, policy: createThreePhasePolicy() });
  const job = await engine.submitAndRun();
  const before = await opened.store.readCorrelation(job);
  const request = { kind: 'add' as const, job, position: before.at(-1)!.position, name: 'kept', folder };
  const env = { DATABASE_URL: opened.url };
  expect(await addCase(request, env)).toMatchObject({ kind: 'added', answers: 3, files: [{ path: 'case.yaml' }, {}] });
  expect(await readFile(join(folder, 'case.yaml'), 'utf8')).toContain('job: completed');
  await expect(addCase(request, env)).rejects.toThrow(/EEXIST/);
  expect(await opened.store.readCorrelation(job)).toEqual(before);
  // Its agent is not among the definitions, and the message says so.
  const [ran] = await collect({ casesFolder: folder });
  expect(ran).toMatchObject({ kind: 'ran', result: { passed: false, model: 'recorded' } });
  expect(JSON.stringify(ran)).toContain('There is no agent');
});

it('cases are chosen by agent, name and kind of model', async () => {
  const chosen = await collect({ agent: 'strict', model: 'scripted' });
  expect(chosen).toMatchObject([{ kind: 'ran', result: { name: 'one-byte-deliverable', passed: true, failures: [] } }]);
  expect(await collect({ agent: 'strict', case: 'another' })).toEqual([]);
  expect(await collect({ agent: 'strict', model: 'recorded' })).toEqual([]);
});

it('a case that passes runs once more with the guard in production, and one that fails does not', async () => {
  const tryGuard = async (tool: string, cases: object) =>
    collect({
      ...cases,
      guard: {
        ...{ name: 'tried', version: 'a'.repeat(64), scope: 'tenant', stage: 'draft', owner: 'ada', kind: 'rule' },
        ...{ points: ['PreToolUse'], onFailure: 'deny', body: { when: { tool }, then: { deny: 'Not now.' } } },
      },
    });
  const completes = { agent: 'worker', case: 'completes' };
  expect(await tryGuard('write_file', completes)).toMatchObject([
    { kind: 'ran', result: { passed: true, failures: [], guarded: { passed: false } } },
  ]);
  expect(await tryGuard('run_command', completes)).toMatchObject([
    { kind: 'ran', result: { passed: true, guarded: { passed: true, failures: [] } } },
  ]);
  const [failing] = await tryGuard('run_command', { casesFolder: folder });
  expect(failing).toMatchObject({ kind: 'ran', result: { passed: false } });
  expect(failing).not.toHaveProperty('result.guarded');
});
