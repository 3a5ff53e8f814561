import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { agentDefinitionSchema } from '@phaseline/domain';
import {
  calls,
  createThreePhasePolicy,
  defaultWorkflow,
  Engine,
  MemoryLog,
  type EngineOptions,
} from '@phaseline/harness';
import type { JobId } from '@phaseline/contracts';
import { DefinitionSet } from '@phaseline/definitions';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freezeJob } from './freeze-job.js';
import { loadCase } from './load-cases.js';
import { runCase } from './run-case.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-cases-'));
});
afterAll(() => rm(folder, { recursive: true }));

const agent = {
  name: 'tester',
  displayName: 'Tester',
  tools: { workspace: ['read_file', 'write_file', 'list_files'] },
  todos: { min: 1, max: 20 },
  deliverables: ['output/report.md'],
} satisfies EngineOptions['agent'];

const definitions = {
  agents: new DefinitionSet('agent', [
    {
      name: 'tester',
      definition: agentDefinitionSchema.parse({ ...agent, workflow: 'alternate' }),
      hash: 'a'.repeat(64),
      file: 'agent.yaml',
      from: '.',
      instructions: 'Do it.\n',
      files: [],
      sources: [],
      extends: [],
    },
  ]),
  workflows: new DefinitionSet('workflow', [
    { name: 'alternate', definition: defaultWorkflow, hash: 'b'.repeat(64), file: 'alternate.yaml' },
  ]),
  models: new DefinitionSet<{
    readonly name: string;
    readonly definition: { readonly name: string };
    readonly hash: string;
    readonly file: string;
  }>('model', []),
};

/** A job whose agent makes a call that is denied, and writes its report. */
async function record(): Promise<{ readonly log: MemoryLog; readonly jobId: JobId }> {
  const log = new MemoryLog(() => Date.now());
  const policy = createThreePhasePolicy([
    calls(['delete_everything']),
    calls(['write_file', { path: 'output/report.md', content: 'The heating is broken.' }]),
  ]);
  const engine = new Engine({ store: log, policy, agent });
  const jobId = await engine.submitAndRun({
    instructions: 'Report on the note.',
    documents: [{ name: 'note.md', content: Buffer.from('The heating is broken.') }],
  });
  return { log, jobId };
}

/** Freezes a job, writes the case, and returns the expectations that do not hold when it is run. */
async function freezeAndRun(
  { log, jobId }: { readonly log: MemoryLog; readonly jobId: JobId },
  position: number,
  name: string,
  expected?: object,
) {
  const { files } = await freezeJob(log, jobId, position, { name, ...(expected ? { expect: expected } : {}) });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name, path)), { recursive: true });
    await writeFile(join(folder, name, path), content);
  }
  const size = Object.values(files).reduce((sum, content) => sum + content.byteLength, 0);
  const loaded = await loadCase(join(folder, name, 'case.yaml'));
  const { failures } = await runCase(loaded, { definitions, signal: new AbortController().signal });
  return { failures, size, definition: loaded.definition };
}

it('a frozen job ends as it was recorded, and a folder of a few kilobytes holds it', async () => {
  const job = await record();
  const { failures, size, definition } = await freezeAndRun(job, job.log.events.length, 'whole');
  expect(failures).toEqual([]);
  expect(definition.task).toBe('Report on the note.');
  expect(definition.expect).toMatchObject({
    job: 'completed',
    calls: [{ tool: 'delete_everything', outcome: 'denied', code: 'unknown_tool', times: 1 }],
    checks: [{ file: { path: 'output/report.md' } }],
  });
  expect(size).toBeLessThan(4_000);
});

it('a job that is frozen before its end is open there, and expects what its author demands', async () => {
  const job = await record();
  const denied = job.log.events.find(({ recorded }) => recorded.type === 'ToolCallDenied')!.recorded.position;
  const { failures, definition } = await freezeAndRun(job, denied, 'half');
  expect(definition.expect).toMatchObject({ job: 'open' });
  expect(failures).toEqual([]);
  const other = await freezeAndRun(job, denied, 'wrong', { job: 'completed' });
  expect(other.failures).toMatchObject([{ expectation: 'job', expected: 'completed', found: 'open' }]);
});

it('a job to which a person spoke does not become a case, because its repetition would lack what was said', async () => {
  const log = new MemoryLog(() => Date.now());
  const engine = new Engine({ store: log, policy: createThreePhasePolicy(), agent });
  const jobId = await engine.submit();
  await engine.driver.control(jobId, { action: 'steer', actor: 'ada', message: 'Report on the roof.' });
  await expect(freezeJob(log, jobId, log.events.length, { name: 'steered' })).rejects.toThrow(/JobSteered/);
});
