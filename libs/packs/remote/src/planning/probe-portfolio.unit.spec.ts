import { planningSettingsSchema } from '@phaseline/contracts';
import type { JsonObject } from '@phaseline/basics';
import { openContext, openSession, planRequestSchema, type PortfolioTask } from '@phaseline/planning';
import { beforeEach, describe, expect, it } from 'vitest';
import { RemoteToolBench } from '../remote-tool-bench.fixture.js';
import { hashArtifact } from './plan-input.js';
import { createSchedulingPack } from './scheduling-pack.js';
import { writeJson } from './write-answer.js';

const LINE = 'It is done when a person has seen it.';
const pattern = { patternType: 'milestone_project', introducedBy: 'system' } as const;
const request = planRequestSchema.parse({ goal: 'Build a boat', user: 'ada', start: '2027-01-04' });
const session = openSession(request, {
  user: 'ada',
  today: '2027-01-04',
  patterns: [],
  goalId: 'goal-1',
  settings: planningSettingsSchema.parse({}),
});

let tasks: readonly PortfolioTask[];
let asked: (readonly [string, string])[];
let bench: RemoteToolBench;

const buildTask = (start: string, end: string, more: Partial<PortfolioTask> = {}): PortfolioTask => ({
  ...{ plan: 'other', task: 'shop', title: 'Shop', zone: 'UTC' },
  ...{ start: `2027-01-${start}:00.000Z`, end: `2027-01-${end}:00.000Z`, ...more },
});

beforeEach(() => {
  tasks = [];
  asked = [];
  bench = new RemoteToolBench(
    createSchedulingPack({
      listOtherTasks: async (jobId, from) => {
        asked.push([jobId, from.toISOString()]);
        return tasks;
      },
    }),
  );
  bench.jobId = 'own';
  put('session', session);
  put('context', { ...openContext(request, session), pattern });
});

function put(name: string, value: object): string {
  bench.workspace.stage([writeJson(`plan/${name}.json`, value)], new Date(0));
  return hashArtifact(value);
}

/** Two tasks of two hours, one after the other. */
function putPlan(): void {
  const task = (id: string) => ({
    ...{ id, parent: 'p', level: 'L3', time: 'once', title: `Do ${id}`, estimateMinutes: 120, origin: 'system' },
  });
  const nodes = [
    { id: 'p', parent: null, level: 'L1', time: 'once', title: 'All', origin: 'system' },
    task('saw'),
    task('glue'),
  ];
  const outlineHash = put('outline', { contextHash: '0'.repeat(64), pattern, nodes });
  put('roadmap', {
    ...{ outlineHash, pattern, dependencies: [] },
    phases: [{ node: 'p', mayOverlap: false, milestones: [], tasks: ['saw', 'glue'] }],
    optionsTried: ['a', 'b'].map((id) => ({ id, title: id, reason: LINE })),
    choice: { option: 'a', reason: LINE },
  });
}

async function run(
  tool: string,
  args: object = {},
): Promise<{ readonly data: JsonObject; readonly result: JsonObject }> {
  const outcome = await bench.run(tool, { ...args });
  const content = JSON.parse(await bench.record(outcome)) as { readonly data: JsonObject };
  return { data: content.data, result: outcome.result! };
}

const generate = async () => (await run('schedule_generator', { confidence: 0.9 })).data['tasks'];

describe('portfolio_probe', () => {
  it('says how much time other plans take, before there is a schedule', async () => {
    tasks = [buildTask('04T09:00', '04T11:00'), buildTask('11T09:00', '11T15:00', { task: 'paint' })];
    const { data, result } = await run('portfolio_probe');
    expect(data).toMatchObject({
      ...{ conflicts: [], suggested_shifts: [] },
      utilisation: {
        days: [
          { from: '2027-01-04', minutes: 120, share: 0.5 },
          { from: '2027-01-11', minutes: 360, share: 1.5 },
        ],
        weeks: [
          { from: '2027-01-04', minutes: 120 },
          { from: '2027-01-11', minutes: 360 },
        ],
      },
    });
    expect(result).toMatchObject({
      ok: true,
      confidence: 1,
      conflicts: [],
      portfolio_version: data['portfolio_version'],
    });
    // The person is known to the host, and no argument names one.
    expect(asked).toEqual([['own', '2027-01-04T00:00:00.000Z']]);
  });

  it('finds what overlaps, suggests another time, and the next schedule is made around the other plans', async () => {
    putPlan();
    expect(await generate()).toMatchObject([
      { task: 'saw', start: '2027-01-04T09:00:00.000Z' },
      { task: 'glue', start: '2027-01-04T11:00:00.000Z' },
    ]);
    tasks = [buildTask('04T09:00', '04T10:00')];
    const { data, result } = await run('portfolio_probe');
    expect(data['conflicts']).toMatchObject([
      { kind: 'overlap', task: 'saw', other: { plan: 'other', task: 'shop', title: 'Shop' } },
      { kind: 'day', from: '2027-01-04', minutes: 300, capacity_minutes: 240, tasks: ['saw', 'glue'] },
    ]);
    expect(data['suggested_shifts']).toMatchObject([{ task: 'saw', to: '2027-01-05T09:00:00.000Z' }]);
    expect(result['conflicts']).toEqual([
      'saw from 2027-01-04 09:00 to 2027-01-04 11:00 is at the same time as "Shop" of plan other.',
      'On 2027-01-04 there are 300 minutes of work, but 240 fit: saw, glue and other plans.',
    ]);
    expect(await generate()).toMatchObject([
      { task: 'saw', start: '2027-01-04T10:00:00.000Z' },
      { task: 'glue', start: '2027-01-04T12:00:00.000Z', end: '2027-01-05T10:00:00.000Z' },
    ]);
    expect((await run('portfolio_recheck')).data['conflicts']).toEqual([]);
  });

  it('has a version that changes with the other plans, and only then', async () => {
    const read = async () => (await run('portfolio_probe')).data['portfolio_version'];
    const none = await read();
    tasks = [buildTask('04T09:00', '04T10:00')];
    const one = await read();
    expect(await read()).toBe(one);
    tasks = [buildTask('04T09:00', '04T10:30')];
    expect(new Set([none, one, await read()]).size).toBe(3);
  });

  it('accepts what rows of another release contain', async () => {
    tasks = [
      buildTask('04T09:00', '04T10:00', { title: '\u200b' }),
      buildTask('05T09:00', '05T10:00', { title: 'x'.repeat(900), recurrence: 'FREQ=NEVER' }),
    ];
    await run('portfolio_probe');
    putPlan();
    expect(await generate()).toMatchObject([{ start: '2027-01-04T10:00:00.000Z' }, {}]);
  });

  it('needs a context', async () => {
    bench = new RemoteToolBench(createSchedulingPack({ listOtherTasks: async () => [] }));
    expect(await bench.runForError('portfolio_probe')).toMatch(/^prerequisite_missing: /);
  });
});
