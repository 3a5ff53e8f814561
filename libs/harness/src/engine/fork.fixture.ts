import { COMPLETION_FILE } from '@phaseline/domain';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import { messageSpecs, type JobId } from '@phaseline/contracts';
import { createPool, verifyChain, type EventStore, type RecordedEvent } from '@phaseline/event-store';
import { Forks, TimeTravel, type ForkOptions } from '@phaseline/time-travel';
import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { Engine, type EngineOptions, type Policy } from './engine.js';
import { call, calls, createThreePhasePolicy, parsePrompt } from './scripts.js';
import { useStore } from './use-store.fixture.js';

export const ORIGIN = { actor: { id: 'spec', kind: 'process' } } as const;

/** Tools of an agent with these tools of its own. */
export const toolsWith = (...domain: string[]) => ({
  workspace: ['write_file', 'read_file'],
  strategic: ['todo_write', 'todo_complete', 'job_complete'],
  tactical: ['todo_complete'],
  domain,
});

/** A remote tool whose results differ from run to run, like those of external services. */
function createOutsideTool() {
  const runs: string[] = [];
  const pack: ToolPack = {
    name: 'outside',
    tools: [
      defineRemoteTool({
        name: 'fetch',
        description: '',
        effect: 'pure',
        timeoutMs: 5_000,
        input: z.object({ what: z.string().default('x') }),
        run: async (_context, { what }) => {
          runs.push(what);
          const text = `${what} at run ${runs.length}`;
          return { content: text, files: [{ path: `got/${what}.txt`, content: new TextEncoder().encode(text) }] };
        },
      }),
    ],
  };
  return { runs, options: { packs: [pack], agent: { tools: toolsWith('fetch') } } };
}

/** Policy whose tactical phase fetches two things, writes the result and completes its todo. */
export const fetchAndWrite: Policy = createThreePhasePolicy((request) => {
  const { turn, last } = parsePrompt(request);
  if (turn === 0) return calls(['fetch', { what: 'a' }], ['fetch', { what: 'b' }]);
  if (turn === 1) return call('write_file', { path: 'output/a.md', content: `from ${last}` });
  return call('todo_complete', { notes: `after ${turn} turns` });
});

export const positionOf = (events: readonly RecordedEvent[], type: string, nth = 0): number =>
  events.filter((event) => event.type === type)[nth]!.position;

/** Forks of the jobs of an engine. */
export function createEngineForks(store: EventStore, travel: TimeTravel, engine: Engine): Forks {
  return new Forks({
    ...{ store, travel },
    repository: engine.repository,
    sender: {
      send: async (queue, payload) =>
        void engine.messages.push({ queue, payload, id: messageSpecs[queue].id(payload) } as never),
    },
    clock: { now: () => new Date() },
    findTool: (name, settings) => engine.tools.forSettings(settings).find(name),
  });
}

/** Reads what is equal in two jobs with the same decisions: files, todos, costs, outcome. */
export async function readJobOutcome(travel: TimeTravel, jobId: JobId) {
  const at = (await travel.at(jobId))!;
  const { status, completion, failure, phases, spending } = at.job;
  const jobOutcome = { status, completion, failure, phases, spending };
  // A fork completes at a time of its own.
  const { [COMPLETION_FILE]: completed, ...files } = at.files;
  const completionHash = completed?.hash;
  return { ...jobOutcome, total: at.spending, files, completionHash, todos: at.phase?.todos.list };
}

/** Opens a log for the tests of a spec file, and returns functions that play jobs on it, fork them and compare them. */
export function useForks() {
  const opened = useStore();
  let pool: ReturnType<typeof createPool>;
  let travel: TimeTravel;
  beforeAll(() => {
    pool = createPool(opened.url, { max: 4, applicationName: 'spec' });
    travel = new TimeTravel(opened.store, pool);
  });
  afterAll(() => pool.end());

  const forksOf = (engine: Engine): Forks => createEngineForks(opened.store, travel, engine);

  const forkJob = async (engine: Engine, jobId: JobId, options: ForkOptions): Promise<JobId> =>
    (await forksOf(engine).fork(jobId, options, ORIGIN))!.jobId;

  const outcomeOf = (jobId: JobId) => readJobOutcome(travel, jobId);

  return {
    opened,
    forksOf,
    forkJob,
    outcomeOf,
    findChainProblems: async () => (await verifyChain(pool)).problems,

    /** Forks a job with its recording, runs the fork and returns its outcome. */
    replay: async (engine: Engine, jobId: JobId, position: number) => {
      const fork = await forkJob(engine, jobId, { position, mode: 'recorded' });
      await engine.run(fork);
      return outcomeOf(fork);
    },

    /** Runs a job until it has nothing to do. */
    playJob: async (policy: Policy = fetchAndWrite, changes: Partial<EngineOptions> = {}) => {
      const { runs, options } = createOutsideTool();
      const seen = { asked: 0 };
      const counting: Policy = (request, signal) => {
        seen.asked += 1;
        return policy(request, signal);
      };
      const engine = new Engine({ store: opened.store, policy: counting, ...options, ...changes });
      const jobId = await engine.submitAndRun();
      const events = await opened.store.readCorrelation(jobId);
      return { engine, runs, seen, jobId, events, fork: (options: ForkOptions) => forkJob(engine, jobId, options) };
    },
  };
}
