import type { JobId } from '@phaseline/contracts';
import { decodePhaseEvent, parseStreamName, type Guard, type PhaseEventData } from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import {
  createThreePhasePolicy,
  DO_THE_TODO,
  Engine,
  MemoryLog,
  SeededRandom,
  type Policy,
  type Reply,
} from '@phaseline/harness';
import { backtestJob } from '@phaseline/what-if';
import { CommandBench } from './command-bench.js';
import { generateAnswers } from './generate-calls.js';
import { generateHooks } from './generate-commands.js';
import { generateGuard } from './generate-guard.js';

/** What guards decided in live jobs, and what the backtest says about the same job without them. */
export interface BacktestComparison {
  /** Calls of the model. */
  readonly calls: number;
  /** Generated guards, with commands. */
  readonly guards: number;
  /** Decisions of the live guards. */
  readonly decisions: number;
  /** Hook points at which they decided. */
  readonly points: readonly string[];
  /** Guards whose decisions differ. */
  readonly differences: readonly {
    readonly guard: Guard;
    readonly live: readonly string[];
    readonly tested: readonly string[];
  }[];
}

/** Time of all events, so that two runs of a job have the same times. */
const BEGIN_MS = Date.UTC(2026, 0, 1);

/**
 * Guards that all jobs have: calls of one tool need an approval, which another guard grants, so that guards are asked about approvals and no
 * person has to answer.
 */
const COMMON_GUARDS: readonly Guard[] = [
  buildCommon('asks', ['PreToolUse'], 'rule', { when: { tool: 'append_file' }, then: { ask: 'may it?' } }),
  buildCommon('grants', ['PermissionRequest'], 'script', { code: "() => ({ decision: 'allow' })" }),
];

function buildCommon(name: string, points: Guard['points'], kind: 'rule' | 'script', body: Guard['body']): Guard {
  return {
    ...({ name, kind, points, body, scope: 'system', stage: 'production', owner: 'lab', onFailure: 'deny' } as const),
    version: 'f'.repeat(64),
  };
}

/** How many guards of each kind are generated. */
export interface GuardCounts {
  /** Rules and scripts. */
  readonly pure: number;
  /** Hooks, which are run in the sandbox. */
  readonly commands: number;
}

/**
 * Plays a job without the generated guards, and compares their backtest on it with what they decide live: all of them in shadow, which
 * leaves the job as it is, and each in production up to its first decision, after which the job continues in another way.
 */
export async function compareBacktest(seed: number, calls: number, counts: GuardCounts): Promise<BacktestComparison> {
  const random = new SeededRandom(seed);
  const pure = Array.from({ length: counts.pure }, (_, index) => generateGuard(random, index + 1));
  if (counts.commands === 0) return compareGuards(seed, calls, pure);
  const bench = await CommandBench.open(generateHooks(random, counts.commands));
  try {
    return await compareGuards(seed, calls, [...pure, ...bench.guards], bench);
  } finally {
    await bench.close();
  }
}

async function compareGuards(
  seed: number,
  calls: number,
  guards: readonly Guard[],
  bench?: CommandBench,
): Promise<BacktestComparison> {
  const recorded = await playJob(seed, calls, COMMON_GUARDS, bench);
  const inShadow = await listLive(await playJob(seed, calls, [...COMMON_GUARDS, ...guards], bench));
  const differences: BacktestComparison['differences'][number][] = [];
  let decisions = 0;
  const points = new Set<string>();
  for (const guard of guards) {
    const { hits, unreadable, unknown } = await backtestJob(recorded.log, recorded.jobId, guard, {
      tools: recorded.engine.tools,
      ...(bench ? { askCommands: bench.ask } : {}),
    });
    const tested = [...hits.map(({ decided }) => render(decided)), ...(unreadable === undefined ? [] : [unreadable])];
    tested.push(...Object.entries(unknown).map(([reason, commits]) => `${commits} commits: ${reason}`));
    const decided = inShadow.filter(isOf(guard));
    for (const { point } of decided) points.add(point);
    const live = decided.map(render);
    const inProduction = await listLive(
      await playJob(seed, calls, [...COMMON_GUARDS, { ...guard, stage: 'production' }], bench),
    );
    const first = inProduction.filter(isOf(guard)).slice(0, 1).map(render);
    decisions += live.length + first.length;
    if (arrange(tested, bench) !== arrange(live, bench)) differences.push({ guard, live, tested });
    else if (tested[0] !== first[0])
      differences.push({ guard: { ...guard, stage: 'production' }, live: first, tested: tested.slice(0, 1) });
  }
  return { calls, guards: guards.length, decisions, points: [...points], differences };
}

/** Decisions as one text. A call whose commands are awaited is decided after the calls behind it, so that commands change the order for all guards. */
function arrange(decisions: readonly string[], bench: CommandBench | undefined): string {
  return (bench ? decisions.toSorted() : decisions).join('\n');
}

function isOf({ name }: Guard): (decided: PhaseEventData<'GuardDecided'>) => boolean {
  return ({ guard }) => guard.name === name;
}

interface Played<Log> {
  readonly engine: Engine;
  readonly log: Log;
  readonly jobId: JobId;
}

/** Plays a job of generated calls in memory. `bench` asks the commands among the guards. */
export function playJob(
  seed: number,
  calls: number,
  guards: readonly Guard[],
  bench?: CommandBench,
): Promise<Played<MemoryLog>> {
  return playJobOn(new MemoryLog(() => BEGIN_MS), seed, calls, guards, bench);
}

/** Plays a job of generated calls on a log. */
export async function playJobOn<Log extends EventLog>(
  log: Log,
  seed: number,
  calls: number,
  guards: readonly Guard[],
  bench?: CommandBench,
): Promise<Played<Log>> {
  const engine: Engine = new Engine({
    store: log,
    ...(bench ? { packs: [bench.createPack(() => engine)], files: bench.files } : {}),
    policy: createPolicy(generateAnswers(seed, calls)),
    agent: {
      tools: { workspace: ['read_file', 'write_file', 'append_file', 'delete_file', 'list_files'] },
      limits: { steps: 10_000, deniedCalls: 1_000 },
      stuck: { enabled: false },
      // The conversation is summarised now and then.
      context: { keepResults: 5, clearTokens: 100_000, summariseTokens: 3_500 },
      guards: [...guards],
    },
  });
  const jobId = await engine.submitAndRun();
  return { engine, log, jobId };
}

/** Gives the answers in turn, however often the conversation is summarised between them. */
function createPolicy(answers: readonly Reply[]): Policy {
  let given = 0;
  const play = createThreePhasePolicy(() => answers[given++] ?? DO_THE_TODO);
  return (request, signal) => (request.tools.length === 0 ? { content: 'Some notes.' } : play(request, signal));
}

async function listLive({ log, jobId }: Played<MemoryLog>): Promise<readonly PhaseEventData<'GuardDecided'>[]> {
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
