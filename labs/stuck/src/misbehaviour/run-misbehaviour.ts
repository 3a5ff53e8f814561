import { readFileSync } from 'node:fs';
import type { JobId } from '@phaseline/contracts';
import { jobStream, phaseStream, workflowSchema, type Workflow } from '@phaseline/domain';
import { modelProfileSchema } from '@phaseline/model';
import { memoryPack } from '@phaseline/inline-packs';
import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { load } from 'js-yaml';
import { z } from 'zod';
import { Engine, MemoryLog, Chance } from '@phaseline/harness';
import { DELIVERABLE } from './habit.js';
import { HOSTILE_DOCUMENT, INJECTION } from './injection-habits.js';
import { HABITS } from './habits.js';
import { judgeRun } from './judge-run.js';
import { MisbehavingModel } from './misbehaving-model.js';

export interface MisbehaviourReport {
  readonly seed: number;
  readonly habits: readonly string[];
  /** `completed`, or the code of the failure. */
  readonly outcome: string;
  /** Rules that the run broke; empty if it broke none. */
  readonly problems: readonly string[];
}

const profile = modelProfileSchema.parse({
  name: 'default',
  model: 'misbehaving',
  contextTokens: 100_000,
  maxOutputTokens: 1_000,
  prices: { inputUsdPerMillion: 1, cachedInputUsdPerMillion: 1, outputUsdPerMillion: 1 },
});

/** Tools whose results contain an injection or nothing useful. */
const pagesPack: ToolPack = {
  name: 'pages',
  tools: [
    defineRemoteTool({
      name: 'fetch_page',
      description: 'Brings a page.',
      effect: 'pure',
      timeoutMs: 5_000,
      input: z.object({ attempt: z.int().optional(), note: z.string().optional() }),
      run: () => Promise.resolve({ content: INJECTION }),
    }),
    defineRemoteTool({
      name: 'look_up',
      description: 'Looks something up.',
      effect: 'idempotent',
      timeoutMs: 5_000,
      input: z.object({ query: z.string(), page: z.int().optional() }),
      run: () => Promise.resolve({ content: 'Nothing was found.' }),
    }),
    defineRemoteTool({
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

const BASIC_TOOLS = {
  strategic: ['todo_write', 'todo_complete', 'job_complete'],
  tactical: ['todo_complete', 'todo_rewind'],
};
const TODO_TOOLS = [
  'add_todo',
  'start_todo',
  'complete_todo',
  'list_todos',
  'get_progress',
  'get_next_todo',
  'archive_and_reset',
];

/** Options of a run: every second job uses the shipped workflow, every third the additional todo tools. */
function engineOptions(seed: number) {
  const more = seed % 3 === 0 ? TODO_TOOLS : [];
  return {
    ...(seed % 2 === 0 ? { workflow: shippedWorkflow() } : {}),
    agent: {
      tools: {
        workspace: ['read_file', 'write_file', 'list_files', 'delete_file', 'file_exists'],
        strategic: [...BASIC_TOOLS.strategic, ...more],
        tactical: [...BASIC_TOOLS.tactical, ...more],
        domain: ['fetch_page', 'look_up', 'build_state'],
      },
      deliverables: [DELIVERABLE],
      todos: { min: 5, max: 20 },
      limits: { steps: 60 },
    },
  };
}

/** Maximum number of times that a job continues after it has waited for a person. */
const MAX_ROUNDS = 4;
const AFTER_PERSON_TIMEOUT_MS = 2 * 86_400_000;

/** Runs a job to its end. A stuck job waits for a person: with `resumes`, a person resumes it the first time; after that the wait times out. */
async function runToTheEnd(engine: Engine, jobId: JobId, resumes: boolean): Promise<void> {
  for (let look = 0; look < MAX_ROUNDS; look += 1) {
    await engine.run(jobId, { messages: 5_000 });
    if ((await engine.loadJob(jobId)).status !== 'paused') return;
    if (look === 0 && resumes)
      await engine.driver.control(jobId, { actor: 'ada', action: 'resume', reason: 'once more' });
    else engine.advanceTime(AFTER_PERSON_TIMEOUT_MS);
  }
}

/** The main habit of a seed. Consecutive seeds use every habit, in an order that is drawn anew each time: the options depend on the seed too. */
function chooseHabit(seed: number): string {
  const names = Object.keys(HABITS);
  const roll = new Chance(Math.floor(seed / names.length)).rollFor('order of habits');
  const order = names.map((name) => ({ name, place: roll.fraction() })).toSorted((a, b) => a.place - b.place);
  return order[seed % names.length]!.name;
}

/** Runs one job with a misbehaving model from its submission to its end, on an in-memory log. */
export async function runMisbehaviour(seed: number): Promise<MisbehaviourReport> {
  const model = new MisbehavingModel(new Chance(seed), chooseHabit(seed));
  const log = new MemoryLog(Date.now);
  const engine = new Engine({
    store: log,
    policy: () => ({}),
    packs: [pagesPack, memoryPack],
    model: { profile, model, contextTokens: 100_000 },
    ...engineOptions(seed),
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
