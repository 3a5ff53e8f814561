import { toCanonicalJson } from '@phaseline/basics';
import { planningSettingsSchema } from '@phaseline/contracts';
import {
  DEFAULT_PREFERENCES,
  openContext,
  openSession,
  planRequestSchema,
  planSessionSchema,
} from '@phaseline/planning';
import { describe, expect, it } from 'vitest';
import { openPlanBench } from './plan-bench.fixture.js';
import { hashJson } from './plan-work.js';

const GOAL = 'Build a boat';
const request = planRequestSchema.parse({ goal: GOAL, user: 'ada', start: '1970-02-01', end: '1970-03-01' });
const settings = planningSettingsSchema.parse({});
const opened = openSession(request, { user: 'ada', today: '1970-01-01', patterns: [], settings, goalId: 'boat' });
const pattern = { patternType: 'milestone_project', introducedBy: 'system' } as const;
const context = { ...openContext(request, opened), pattern, capacity: { minutesPerDay: 60, minutesPerWeek: 300 } };
const node = { level: 'L1', time: 'once', origin: 'system' } as const;
const outline = {
  ...{ contextHash: hashJson(context), pattern },
  nodes: [{ ...node, id: 'build', parent: null, title: 'Build it' }],
};
const roadmap = {
  ...{ outlineHash: hashJson(outline), pattern, dependencies: [], optionsTried: [] },
  phases: [{ node: 'build', mayOverlap: false, milestones: [], tasks: [] }],
  choice: { option: 'a', reason: 'It is short.' },
};
const plan = { context, outline, roadmap, schedule: { roadmapHash: hashJson(roadmap), tasks: [] } };
const hashes = {
  ...{ context: hashJson(context), outline: hashJson(outline) },
  ...{ roadmap: hashJson(roadmap), schedule: hashJson(plan.schedule) },
};

/** Opens a session that continues a plan. */
async function open(parameters: object = {}, changes: object = {}, text?: string) {
  const earlier = { planId: 'plan-1', plan, messages: [], ...changes };
  const bench = await openPlanBench(
    { goal: 'Glue it twice.', user: 'ada', ...parameters },
    { files: { 'documents/earlier-plan.json': text ?? toCanonicalJson(earlier) } },
  );
  const read = async (path: string): Promise<unknown> => JSON.parse(await bench.readText(path));
  const session = planSessionSchema.parse(await read('plan/session.json'));
  return { session, context: await read('plan/context.json'), outline: await read('plan/outline.json') };
}

describe('a session about a goal that has an approved plan', () => {
  it('has its artifacts, its pattern and its goal, and the words of the request as feedback', async () => {
    const { session, ...files } = await open({ goalId: 'boat' });
    expect(files).toEqual({ context, outline });
    expect(session).toMatchObject({
      ...{ goal: GOAL, goalId: 'boat', continues: { planId: 'plan-1', contentHash: hashes.schedule }, hashes },
      ...{ selectedPattern: pattern, hasFeedback: true, instructions: ['Glue it twice.'], stage: 'context' },
    });
    expect(session.messages.map(({ from, text }) => `${from}: ${text}`)).toEqual([
      `person: ${GOAL}`,
      'planner: This session starts from the approved plan.',
      'person: Glue it twice.',
    ]);
  });

  it('asks for no change with the words of the goal', async () => {
    const { session } = await open({ goal: GOAL });
    expect(session).toMatchObject({ hashes, hasFeedback: false, instructions: [] });
    expect(session.messages).toHaveLength(2);
  });

  it('has what the request says in a new context, from which the other artifacts are made again', async () => {
    const { session, ...files } = await open({ zone: 'Europe/Berlin', end: '1970-06-01' });
    const dates = { start: '1970-02-01', end: '1970-06-01', fixed: [] };
    expect(files.context).toEqual({ ...context, previousHash: hashes.context, zone: 'Europe/Berlin', dates });
    expect(session.hashes).toEqual({ context: hashJson(files.context as object) });
    // What the next draft changes is compared with this.
    expect(files.outline).toEqual(outline);
  });

  it('begins today if the plan began before, and is open again after its end', async () => {
    const past = { ...context, dates: { start: '1969-01-01', end: '1969-06-01', fixed: [] } };
    const chained = { ...outline, contextHash: hashJson(past) };
    const mapped = { ...roadmap, outlineHash: hashJson(chained) };
    const scheduled = { roadmapHash: hashJson(mapped), tasks: [] };
    const earlier = { plan: { context: past, outline: chained, roadmap: mapped, schedule: scheduled } };
    expect((await open({}, earlier)).context).toHaveProperty('dates', { start: '1970-01-01', fixed: [] });
  });

  it('has the latest earlier messages, after the goal', async () => {
    const said = Array.from({ length: 10 }, (_, index) => ({ from: 'person', text: `${index}${'x'.repeat(1_999)}` }));
    const { session } = await open({}, { messages: [{ from: 'person', text: GOAL }, ...said] });
    expect(session.messages.map(({ text }) => text[0])).toEqual(['B', '6', '7', '8', '9', 'T', 'G']);
  });

  it.each([
    ['no JSON', {}, '{'],
    ['no approved plan', { plan: { ...plan, schedule: undefined } }, undefined],
    [
      'an artifact that was made from another one',
      { plan: { ...plan, schedule: { roadmapHash: 'f'.repeat(64), tasks: [] } } },
      undefined,
    ],
    ['the plan of another person', { plan: { ...plan, context: { ...context, user: 'bea' } } }, undefined],
  ])('is not opened with %s', async (_, changes, text) => {
    await expect(open({}, changes, text)).rejects.toMatchObject({ code: 'plan_invalid' });
  });

  it('is not opened for another person', async () => {
    await expect(open({ user: 'bea' })).rejects.toMatchObject({ code: 'plan_invalid' });
  });
});

it('a session that names no goal has that of its job, and the times of its request', async () => {
  const bench = await openPlanBench({ goal: GOAL });
  const session = planSessionSchema.parse(JSON.parse(await bench.readText('plan/session.json')));
  expect(session.goalId).toMatch(/./);
  expect(session).not.toHaveProperty('continues');
  const { capacity } = DEFAULT_PREFERENCES;
  expect(JSON.parse(await bench.readText('plan/context.json'))).toMatchObject({ capacity });
});
