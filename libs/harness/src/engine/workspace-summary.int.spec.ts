import { readFile } from 'node:fs/promises';
import { memoryPack } from '@phaseline/inline-packs';
import {
  archivePath,
  COMPLETION_FILE,
  MEMORY_FILE,
  phaseStream,
  workflowSchema,
  type Workflow,
} from '@phaseline/domain';
import { createPool } from '@phaseline/event-store';
import { TimeTravel } from '@phaseline/time-travel';
import { load } from 'js-yaml';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { Engine } from './engine.js';
import { doPlanningTodo } from './planning-todo.js';
import { call, DO_THE_TODO, calls, COMPLETE_JOB, parsePrompt } from './scripts.js';
import { useStore } from './use-store.fixture.js';

const opened = useStore();
let workflow: Workflow;
beforeAll(async () => {
  const file = new URL('../../../../workflows/phase-alternation.yaml', import.meta.url);
  workflow = workflowSchema.parse(load(await readFile(file, 'utf8')));
});

const NOTE = 'Section 4 is odd.';
const PLAN =
  'The goal is a report on all of the material, gathered first and then written up in one piece.\n\n## Phases\n\n1. Gather: all of it.\n2. Write: the report.\n';

/** The workspace.md of each prompt's first call, by phase; the job gives a list up and fails once on its way. */
async function play() {
  const memories = new Map<number, string>();
  const todoLists = new Map<number, string>();
  const engine = new Engine({
    store: opened.store,
    workflow,
    packs: [memoryPack],
    agent: {
      tools: {
        workspace: ['write_file', 'read_file', 'add_note', 'describe_file'],
        strategic: ['todo_write', 'todo_complete', 'job_complete'],
        tactical: ['todo_complete', 'todo_rewind'],
      },
      limits: { nudges: 0 },
      todos: { min: 1, max: 20 },
    } as never,
    policy: (request) => {
      const { phase, turn } = parsePrompt(request);
      const [system = '', todos = ''] = request.messages.map(({ content }) => content ?? '');
      if (turn === 0) {
        memories.set(phase, system.split('## Memory (workspace.md)').at(-1)!);
        todoLists.set(phase, todos);
      }
      const [, done = '0', all = '0'] = /Progress: (\d+) of (\d+) done/.exec(todos) ?? [];
      const isLast = Number(all) - Number(done) === 1;
      const plan = (name: string) =>
        calls(
          ['write_file', { path: 'main_plan.md', content: PLAN }],
          ['todo_write', { phase: name, description: 'Do it.', todos: [{ content: 'Do it' }] }],
          ['todo_complete'],
        );
      switch (phase) {
        case 1:
          return isLast ? plan('Gather') : doPlanningTodo(request);
        case 2:
          if (turn === 0)
            return calls(
              ['add_note', { text: NOTE }],
              ['describe_file', { path: 'main_plan.md', purpose: 'The plan' }],
            );
          return call('todo_rewind', { issue: 'The index is missing' });
        case 3:
          return isLast ? plan('Write') : doPlanningTodo(request);
        case 4:
          return { content: 'I stop here.' };
        case 5:
          return DO_THE_TODO;
        default:
          return isLast ? COMPLETE_JOB : doPlanningTodo(request);
      }
    },
  });
  const jobId = await engine.submitAndRun();
  return { engine, jobId, memories, todoLists };
}

it('the memory is current at the start of each phase, and keeps what the agent wrote', async () => {
  const { engine, jobId, memories, todoLists } = await play();
  const job = await engine.loadJob(jobId);
  expect(job).toMatchObject({ status: 'completed', phases: 6 });
  for (let phase = 1; phase <= 6; phase += 1) {
    expect(memories.get(phase)).toContain(`- Phase ${phase}: `);
    expect(memories.get(phase)!.match(/- Updated: /g)).toHaveLength(1);
    const [started, refreshed, called] = await opened.store.read(phaseStream(jobId, phase));
    expect([started?.type, called?.type]).toEqual(['PhaseStarted', 'ModelCallStarted']);
    expect(refreshed).toMatchObject({ type: 'FileWritten', data: { path: MEMORY_FILE } });
    expect(refreshed?.data).not.toHaveProperty('callId');
    if (phase > 2) {
      expect(memories.get(phase)).toContain(NOTE);
      expect(memories.get(phase)).toMatch(/`main_plan\.md` \(\d+ bytes, changed \S+\): The plan/);
    }
  }
  expect(memories.get(3)).toContain('- Abandoned list: phase 2: The index is missing');
  expect(memories.get(5)).toMatch(/- Phase 5: .* \(tactical, attempt 2\)/);
  expect(memories.get(5)).toContain('- Attempt before: phase 4 failed (stopped_early)');
  // The place is counted from the plan, and kept by another attempt.
  expect(todoLists.get(2)).toContain('Phase 2: Gather (1 of 2) (tactical)');
  expect([4, 5].map((phase) => /Phase \d: (.*)/.exec(todoLists.get(phase)!)?.[1])).toEqual([
    'Write (2 of 2) (tactical)',
    'Write (2 of 2) (tactical)',
  ]);
  expect(todoLists.get(3)).not.toMatch(/\(\d of \d\)/);
});

it('an archive ends with what the phase did, and the job with a file in the commit of its completion', async () => {
  const { engine, jobId } = await play();
  const pool = createPool(opened.url, { max: 2, applicationName: 'spec' });
  onTestFinished(() => pool.end());
  const at = (await new TimeTravel(opened.store, pool).at(jobId))!;
  const read = async (path: string) => Buffer.from((await opened.store.blobs.get(at.files[path]!.hash))!).toString();
  expect(await read(archivePath(2))).toMatch(
    /## Summary\n\n- Files: 0 new; 1 changed \(workspace\.md\); 0 deleted\n- Calls: 3 completed, 0 failed\n[^]*- Time: \S+ s in answers of the model, \S+ s in calls\n$/,
  );
  const { spending } = (await engine.loadJob(jobId))!;
  expect(JSON.parse(await read(COMPLETION_FILE))).toMatchObject({ status: 'completed', phases: 6, spending });
  const [completed] = await opened.store.readCorrelation(jobId, { types: ['JobCompleted'] });
  expect(completed?.data).toMatchObject({ file: { path: COMPLETION_FILE, hash: at.files[COMPLETION_FILE]?.hash } });
});

it('a deliverable of the agent with that name is not replaced', async () => {
  const engine = new Engine({
    store: opened.store,
    agent: { deliverables: [COMPLETION_FILE] },
    policy: (request) =>
      parsePrompt(request).kind === 'tactical'
        ? calls(['write_file', { path: COMPLETION_FILE, content: 'mine' }], ['todo_complete'])
        : request.tools.some(({ name }) => name === 'job_complete')
          ? COMPLETE_JOB
          : calls(
              ['todo_write', { phase: 'The work', description: 'Do it.', todos: [{ content: 'Do it' }] }],
              ['todo_complete'],
            ),
  });
  const jobId = await engine.submitAndRun();
  const [completed] = await opened.store.readCorrelation(jobId, { types: ['JobCompleted'] });
  expect(completed?.data).not.toHaveProperty('file');
});
