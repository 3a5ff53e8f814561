import { readFileSync } from 'node:fs';
import { jobStream, phaseStream, workflowSchema, type Workflow } from '@phaseline/domain';
import { modelProfileSchema } from '@phaseline/model';
import { memoryPack, runnerTool, type ToolPack } from '@phaseline/tools';
import { load } from 'js-yaml';
import { z } from 'zod';
import { Engine } from '../engine/engine.js';
import { MemoryLog } from '../simulator/memory/memory-log.js';
import { Chance } from '../simulator/schedule/chance.js';
import { DELIVERABLE } from './habit.js';
import { HOSTILE_DOCUMENT, INJECTION } from './injection-habits.js';
import { judgeRun } from './judge-run.js';
import { MisbehavingModel } from './misbehaving-model.js';

export interface MisbehaviourReport {
  readonly seed: number;
  readonly habits: readonly string[];
  /** completed, or the code of the failure. */
  readonly outcome: string;
  /** What must not be; empty when all is well. */
  readonly problems: readonly string[];
}

const profile = modelProfileSchema.parse({
  name: 'default',
  model: 'misbehaving',
  contextTokens: 100_000,
  maxOutputTokens: 1_000,
  prices: { inputPerMillion: 1, cachedInputPerMillion: 1, outputPerMillion: 1 },
});

/** A tool whose result tries to give orders. */
const pages: ToolPack = {
  name: 'pages',
  tools: [
    runnerTool({
      name: 'fetch_page',
      description: 'Brings a page.',
      effect: 'pure',
      timeoutMs: 5_000,
      input: z.object({ attempt: z.int().optional(), note: z.string().optional() }),
      run: () => Promise.resolve({ content: INJECTION }),
    }),
    runnerTool({
      name: 'look_up',
      description: 'Looks something up.',
      effect: 'idempotent',
      timeoutMs: 5_000,
      input: z.object({ query: z.string(), page: z.int().optional() }),
      run: () => Promise.resolve({ content: 'Nothing was found.' }),
    }),
    runnerTool({
      name: 'build_state',
      description: 'Says how far a build is.',
      effect: 'pure',
      timeoutMs: 5_000,
      input: z.object({ build: z.int() }),
      run: () => Promise.resolve({ content: 'The build is still running.' }),
    }),
  ],
};

const shippedFile = new URL('../../../../workflows/phase-alternation.yaml', import.meta.url);
let shipped: Workflow | undefined;
const shippedWorkflow = (): Workflow => (shipped ??= workflowSchema.parse(load(readFileSync(shippedFile, 'utf8'))));

const plain = {
  strategic: ['todo_write', 'todo_complete', 'job_complete'],
  tactical: ['todo_complete', 'todo_rewind'],
};
const finer = [
  'add_todo',
  'start_todo',
  'complete_todo',
  'list_todos',
  'get_progress',
  'get_next_todo',
  'archive_and_reset',
];

/** Every other job runs by the shipped workflow, every third with the finer tools. */
function setting(seed: number) {
  const more = seed % 3 === 0 ? finer : [];
  return {
    ...(seed % 2 === 0 ? { workflow: shippedWorkflow() } : {}),
    agent: {
      tools: {
        workspace: ['read_file', 'write_file', 'list_files', 'delete_file', 'file_exists'],
        strategic: [...plain.strategic, ...more],
        tactical: [...plain.tactical, ...more],
        domain: ['fetch_page', 'look_up', 'build_state'],
      },
      deliverables: [DELIVERABLE],
      todos: { min: 5, max: 20 },
      limits: { steps: 60 } as never,
    },
  };
}

/** How often a job that waits for a person is looked at; the second person does not come. */
const LOOKS = 4;
const LONGER_THAN_ANYBODY_WAITS = 2 * 86_400_000;

/** Runs a job to its end. One that goes in circles waits for a person: now and then the first who is asked lets it go on; the next never comes. */
async function runToTheEnd(engine: Engine, jobId: string, resumes: boolean): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    await engine.run(jobId, { messages: 5_000 });
    if ((await engine.histories.job(jobId))?.status !== 'paused') return;
    if (look === 0 && resumes)
      await engine.driver.control(jobId, { actor: 'ada', action: 'resume', reason: 'once more' });
    else engine.forward(LONGER_THAN_ANYBODY_WAITS);
  }
}

/** One job with a model that does some things wrong, from its submission to its end, over a log in memory. */
export async function runMisbehaviour(seed: number): Promise<MisbehaviourReport> {
  const model = new MisbehavingModel(new Chance(seed));
  const log = new MemoryLog(Date.now);
  const engine = new Engine({
    store: log,
    policy: () => ({}),
    packs: [pages, memoryPack],
    model: { profile, model, contextTokens: 100_000 },
    ...setting(seed),
  });
  const jobId = await engine.submit({
    documents: [{ name: 'brief.md', content: new TextEncoder().encode(HOSTILE_DOCUMENT) }],
  });
  try {
    await runToTheEnd(engine, jobId, seed % 4 === 0);
  } catch (error) {
    const problem = `it threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    return { seed, habits: model.habits, outcome: 'threw', problems: [problem] };
  }
  const phases = [];
  for (let phase = 1; ; phase += 1) {
    const events = await log.read(phaseStream(jobId, phase));
    if (events.length === 0) break;
    phases.push(events);
  }
  return { seed, habits: model.habits, ...judgeRun(await log.read(jobStream(jobId)), phases) };
}
