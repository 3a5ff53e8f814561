import { jobStream, phaseStream } from '@phaseline/domain';
import { modelProfileSchema } from '@phaseline/model';
import { runnerTool, type ToolPack } from '@phaseline/tools';
import { z } from 'zod';
import { Engine } from '../engine/engine.js';
import { MemoryLog } from '../simulator/memory/memory-log.js';
import { Chance } from '../simulator/schedule/chance.js';
import { DELIVERABLE, INJECTION } from './habits.js';
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
      input: z.object({}),
      run: () => Promise.resolve({ content: INJECTION }),
    }),
  ],
};

/** One job with a model that does some things wrong, from its submission to its end, over a log in memory. */
export async function runMisbehaviour(seed: number): Promise<MisbehaviourReport> {
  const model = new MisbehavingModel(new Chance(seed));
  const log = new MemoryLog(Date.now);
  const engine = new Engine({
    store: log,
    policy: () => ({}),
    packs: [pages],
    model: { profile, model, contextTokens: 100_000 },
    agent: {
      tools: {
        workspace: ['read_file', 'write_file', 'list_files', 'delete_file'],
        strategic: ['todo_write', 'todo_complete', 'job_complete'],
        tactical: ['todo_complete'],
        domain: ['fetch_page'],
      },
      deliverables: [DELIVERABLE],
      todos: { min: 5, max: 20 },
      limits: { steps: 60 } as never,
    },
  });
  const jobId = await engine.submit();
  try {
    await engine.run(jobId, { messages: 5_000 });
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
