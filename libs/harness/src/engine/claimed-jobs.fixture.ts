import type { JobId } from '@phaseline/contracts';
import { workflowSchema, type Workflow } from '@phaseline/domain';
import { contentHash, type EventLog } from '@phaseline/event-store';
import { checksSpec } from '@phaseline/pack-specs';
import { implementPack, type ToolPack } from '@phaseline/tools';
import { Engine, type Policy, type Reply } from './engine.js';
import { call, createThreePhasePolicy } from './scripts.js';

/** A workflow of one state. `checks` are those of its todo, `ofEnd` those of its outcome. */
const createWorkflow = (checks: readonly object[], ofEnd: readonly object[]): Workflow =>
  workflowSchema.parse({
    name: 'one-state',
    version: 1,
    start: 'work',
    states: {
      work: {
        kind: 'strategic',
        title: 'Work',
        todos: [{ content: 'Write work/result.txt.', checks }],
        finish: 'done',
        outcomes: { done: { end: 'completed', checks: ofEnd } },
      },
    },
  });

/** A verifier that fails once and then passes. */
function createVerifier(): ToolPack {
  let runs = 0;
  return implementPack(checksSpec, {
    run_verifier: async () => {
      runs += 1;
      const outcome = runs === 1 ? 'failed' : 'passed';
      const output = Buffer.from(`output of run ${runs}`);
      const hash = contentHash(output);
      return {
        content: outcome,
        blobs: [{ hash, content: output }],
        result: {
          outcome,
          reason: runs === 1 ? '1 failed test' : '',
          definition: '0'.repeat(64),
          changedInputs: [],
          output: { hash, size: output.length },
        },
      };
    },
  });
}

const FILE = 'work/result.txt';
const tools = { workspace: ['read_file', 'write_file'], strategic: ['todo_complete'], tactical: [], domain: [] };

export interface ClaimedJobs {
  readonly engine: Engine;
  readonly jobId: JobId;
}

/** Plays a job whose todo and end have checks of every kind: files, calls, a verifier that fails once, and a judge. */
export async function playCheckedJob(store: EventLog): Promise<ClaimedJobs> {
  const replies: readonly Reply[] = [
    call('write_file', { path: FILE, content: 'one\ntwo\n' }),
    call('todo_complete'),
    call('todo_complete'),
  ];
  let turn = 0;
  const policy: Policy = ({ messages }) =>
    messages[0]?.content.includes('"objection"')
      ? { content: '{"objection": false, "reason": ""}' }
      : (replies[turn++] ?? call('todo_complete'));
  const engine = new Engine({
    store,
    policy,
    packs: [createVerifier()],
    agent: { tools },
    workflow: createWorkflow(
      [
        { file: { path: FILE, changedSince: 'todo', minLines: 2 } },
        { call: { tool: 'write_file', args: { path: FILE } } },
        { verifier: 'unit' },
        { judge: 'diff-review' },
      ],
      [
        { file: { path: FILE, changedSince: 'phase', matches: '^two$' } },
        { call: { tool: 'write_file', since: 'phase' } },
      ],
    ),
  });
  return { engine, jobId: await engine.submitAndRun() };
}

/** Plays a job that plans, works and completes, with a deliverable that must be a list. */
export async function playPlannedJob(store: EventLog): Promise<ClaimedJobs> {
  const engine = new Engine({
    store,
    policy: createThreePhasePolicy([call('write_file', { path: 'output/list.json', content: '[1, 2]' })]),
    agent: { deliverables: [{ path: 'output/list.json', minItems: 2 }] },
  });
  return { engine, jobId: await engine.submitAndRun() };
}
