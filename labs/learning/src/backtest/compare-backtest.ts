import type { JobId } from '@phaseline/contracts';
import { decodePhaseEvent, parseStreamName, type Guard, type PhaseEventData } from '@phaseline/domain';
import { createThreePhasePolicy, Engine, MemoryLog, SeededRandom } from '@phaseline/harness';
import { backtestJob } from '@phaseline/what-if';
import { generateAnswers } from './generate-calls.js';
import { generateGuard } from './generate-guard.js';

/** What guards decided in a live job, and what the backtest says about the same job without them. */
export interface BacktestComparison {
  /** Calls of the model. */
  readonly calls: number;
  readonly guards: number;
  /** Decisions of the live guards. */
  readonly decisions: number;
  /** Guards whose decisions differ. */
  readonly differences: readonly {
    readonly guard: Guard;
    readonly live: readonly string[];
    readonly tested: readonly string[];
  }[];
}

/** Time of all events, so that two runs of a job have the same times. */
const BEGIN_MS = Date.UTC(2026, 0, 1);

/** Plays a job twice, without the generated guards and with them in shadow, and compares what they decide with their backtest on the first. */
export async function compareBacktest(seed: number, calls: number, guardCount: number): Promise<BacktestComparison> {
  const random = new SeededRandom(seed);
  const guards = Array.from({ length: guardCount }, (_, index) => generateGuard(random, index + 1));
  const recorded = await playJob(seed, calls, []);
  const live = await playJob(seed, calls, guards);
  const liveDecisions = await listLive(live);
  const differences: BacktestComparison['differences'][number][] = [];
  let decisions = 0;
  for (const guard of guards) {
    const { hits, unreadable } = await backtestJob(recorded.log, recorded.jobId, guard, {
      tools: recorded.engine.tools,
    });
    const tested = [...hits.map(({ decided }) => render(decided)), ...(unreadable === undefined ? [] : [unreadable])];
    const wanted = liveDecisions.filter((one) => one.guard.name === guard.name).map(render);
    decisions += wanted.length;
    if (tested.join('\n') !== wanted.join('\n')) differences.push({ guard, live: wanted, tested });
  }
  return { calls, guards: guardCount, decisions, differences };
}

interface Played {
  readonly engine: Engine;
  readonly log: MemoryLog;
  readonly jobId: JobId;
}

/** Plays a job of generated calls in memory. */
export async function playJob(seed: number, calls: number, guards: readonly Guard[]): Promise<Played> {
  const log = new MemoryLog(() => BEGIN_MS);
  const engine = new Engine({
    store: log,
    policy: createThreePhasePolicy(generateAnswers(seed, calls)),
    agent: {
      tools: { workspace: ['read_file', 'write_file', 'append_file', 'delete_file', 'list_files'] },
      limits: { steps: 10_000, deniedCalls: 1_000 },
      stuck: { enabled: false },
      guards: [...guards],
    },
  });
  const jobId = await engine.submitAndRun();
  return { engine, log, jobId };
}

async function listLive({ log, jobId }: Played): Promise<readonly PhaseEventData<'GuardDecided'>[]> {
  return (await log.readCorrelation(jobId)).flatMap((recorded) => {
    if (parseStreamName(recorded.streamId)?.kind !== 'phase') return [];
    const event = decodePhaseEvent(recorded);
    return event.type === 'GuardDecided' ? [event.data] : [];
  });
}

/** A decision as text. Its guard is known, and the time that it took differs. */
function render({ guard: _guard, durationMs: _durationMs, ...decided }: PhaseEventData<'GuardDecided'>): string {
  return JSON.stringify(decided);
}
