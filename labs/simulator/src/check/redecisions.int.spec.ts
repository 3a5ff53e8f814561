import { afterEach, describe, expect, it, vi } from 'vitest';
import { runSeed } from '../run/run-seed.js';
import type { RunResult } from '../run/world.js';
import { checkRedecisions } from './redecisions.js';

type Change = (result: never) => unknown;

// Not a unit spec: those share the loaded modules, so that the functions of a module could not be replaced.

/** Changes of what functions of the engine return, by name. They apply only while a recorded run is decided again. */
const planted = vi.hoisted(() => new Map<string, Change>());

/** Wraps the functions of a module that a change may be planted in. */
const wrap = vi.hoisted(() => <Module extends object>(module: Module, names: readonly string[]): Module => {
  const wrapped = Object.fromEntries(
    names.map((name) => {
      const original = module[name as keyof Module] as (...args: unknown[]) => unknown;
      return [
        name,
        (...args: unknown[]) => {
          const result = original(...args);
          const change = planted.get(name);
          if (!change) return result;
          return result instanceof Promise ? result.then((value) => change(value as never)) : change(result as never);
        },
      ];
    }),
  );
  return { ...module, ...wrapped };
});

vi.mock('@phaseline/domain', async (load) =>
  wrap(await load<typeof import('@phaseline/domain')>(), [
    ...['admitCall', 'advanceOrUnstick', 'checkModelCallCaps', 'decideJob', 'renderArchive', 'raiseClaim'],
  ]),
);
vi.mock('@phaseline/context', async (load) =>
  wrap(await load<typeof import('@phaseline/context')>(), ['buildPromptOfState']),
);
vi.mock('@phaseline/model', async (load) =>
  wrap(await load<typeof import('@phaseline/model')>(), ['computeWorstCaseMicroUsd']),
);

afterEach(() => planted.clear());

interface Event {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** Replaces members of the data of events of one type. */
const change = (type: string, members: Record<string, unknown>) => (event: Event) =>
  event.type === type ? { ...event, data: { ...event.data, ...members } } : event;

/** One planted change per decider: the function, what becomes of its result, and the decider that the check has to name. */
const changes: readonly (readonly [decider: string, name: string, Change])[] = [
  ['admission', 'admitCall', change('ToolCallRequested', { timeoutMs: 1 })],
  ['approvals', 'admitCall', change('ApprovalRequested', { reason: 'another reason' })],
  ['prompt', 'buildPromptOfState', (prompt: { hash: string }) => ({ ...prompt, hash: '0'.repeat(64) })],
  ['reservation', 'computeWorstCaseMicroUsd', (price: number) => price + 1],
  [
    'caps',
    'checkModelCallCaps',
    () => ({ type: 'PhaseFailed', data: { code: 'token_limit', message: 'none is left', retryable: false } }),
  ],
  [
    'claims',
    'raiseClaim',
    (events: readonly Event[]) => events.map(change('ClaimRaised', { subject: { kind: 'todo', todoId: 99 } })),
  ],
  [
    'loop',
    'decideJob',
    (decision: { job: readonly Event[] }) => ({
      ...decision,
      job: decision.job.map(change('ItemStarted', { id: 'other' })),
    }),
  ],
  [
    'nudges',
    'advanceOrUnstick',
    (advance: { events: readonly Event[] }) => ({
      ...advance,
      events: advance.events.map(change('PhaseNudged', { message: 'Go on.' })),
    }),
  ],
  [
    'gates',
    'advanceOrUnstick',
    (advance: { events: readonly Event[] }) => ({
      ...advance,
      events: advance.events.map(change('PhaseCompleted', { outcome: 'another' })),
    }),
  ],
  ['files', 'renderArchive', (text: string) => `${text}\n`],
  [
    'dispatch',
    'decideJob',
    (decision: { job: readonly Event[] }) => ({
      ...decision,
      job: decision.job.map(change('PhaseDispatched', { kind: 'other' })),
    }),
  ],
  [
    'job',
    'decideJob',
    (decision: { job: readonly Event[] }) => ({
      ...decision,
      job: decision.job.map(change('JobFailed', { code: 'other' })),
    }),
  ],
];

/** Runs in which every decider has something to decide. */
const seeds = [3, 4, 12, 24, 26];
const runs: Promise<readonly RunResult[]> = Promise.all(seeds.map(async (seed) => (await runSeed({ seed })).remains));

/** A run with a reflection for which a daily budget had nothing left. Another seed is needed if the simulator draws differently. */
const SEED_OF_REFUSED_REFLECTION = 11_375;

/** The deciders that differ in the runs, as they are named. */
async function findDeciders(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const run of await runs)
    for (const { detail } of await checkRedecisions(run)) found.add(/"decider":"(\w+)"/.exec(detail)?.[1] ?? detail);
  return found;
}

describe('deciding recorded jobs again', () => {
  it('finds nothing in jobs of the same release', async () => {
    expect([...(await findDeciders())]).toEqual([]);
  });

  it('takes as recorded that a daily budget refused the call of a reflection', async () => {
    const run = (await runSeed({ seed: SEED_OF_REFUSED_REFLECTION })).remains;
    const skipped = run.log
      .streamIds()
      .flatMap((id) => run.log.storedEvents(id))
      .filter(({ recorded }) => recorded.type === 'ReflectionSkipped' && recorded.data['code'] === 'daily_limit');
    expect(skipped).not.toEqual([]);
    expect(await checkRedecisions(run)).toEqual([]);
  });

  it.each(changes)('finds and names a planted change of %s, in %s', async (decider, name, plantedChange) => {
    await runs;
    planted.set(name, plantedChange);
    expect([...(await findDeciders())]).toContain(decider);
  });
});
