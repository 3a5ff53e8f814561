import { expect, it } from 'vitest';
import { formatInstant, parseInstant } from '../calendar/instant.js';
import { checkSchedule } from '../schedule/check-schedule.js';
import { generateSchedule } from '../schedule/generate-schedule.js';
import { buildScheduleProblem } from './build-schedule-problem.js';
import type { PlanInput } from './plan-input.js';
import { buildDependency, buildNode, buildPlan } from './stage.fixture.js';
import { toSchedule } from './to-schedule.js';

const weekly = { time: 'recurring', recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=3' } as const;
const inherited = { time: 'recurring' } as const;
const listLinks = (plan: PlanInput) =>
  buildScheduleProblem(plan).links.map(({ from, to, kind, lag, unit }) => `${from} ${kind} ${to} ${lag} ${unit}`);
const listStarts = (plan: PlanInput) =>
  buildScheduleProblem(plan).series.map(({ id, recurrence }) => `${id} ${recurrence.firstStart}`);
const schedule = (plan: PlanInput) => {
  const problem = buildScheduleProblem(plan);
  const answer = generateSchedule(problem);
  if (answer.kind !== 'feasible') throw new Error(JSON.stringify(answer));
  expect(checkSchedule(problem, answer.schedule)).toEqual([]);
  return toSchedule({ ...plan, roadmapHash: 'ab'.repeat(16), problem, placed: answer.schedule }).tasks;
};
const list = (plan: PlanInput) =>
  schedule(plan).map(({ task, start, end }) => `${task} ${start.slice(5, 16)} ${end.slice(5, 16)}`);

it('takes calendar, window, capacity and profile from the context', () => {
  const strategy = { loading: 'back_loaded', bufferShare: 0.25, preferredWeekdays: ['sunday', 'tuesday'] } as const;
  const { context } = buildPlan([buildNode('p')]);
  const holidays = [{ day: '2027-01-06', title: 'Epiphany' }];
  const plan = buildPlan([buildNode('p'), buildNode('p.-.t')], {
    context: {
      strategy: { ...strategy, preferredWeekdays: [...strategy.preferredWeekdays] },
      calendar: { ...context.calendar, holidays },
      dates: { start: '2027-03-28', end: '2027-10-31', fixed: [] },
    },
  });
  const problem = buildScheduleProblem({ ...plan, taken: [{ start: 5, end: 9 }] });
  expect(problem.calendar).toMatchObject({ zone: 'Europe/Berlin', closedDays: ['2027-01-06'], openDays: [] });
  expect(problem.calendar.hours.map((spans) => spans.map(({ from, to }) => `${from}-${to}`))).toEqual([
    ...Array(5).fill(['09:00-17:00']),
    ...[[], []],
  ]);
  // Both are days on which the clock changes.
  expect([problem.window.start, problem.window.end].map(formatInstant)).toEqual([
    '2027-03-27T23:00:00.000Z',
    '2027-10-31T23:00:00.000Z',
  ]);
  expect(problem.capacity).toEqual({ minutesPerDay: 480, minutesPerWeek: 2400 });
  expect(problem.profile).toEqual({ distribution: 'back_loaded', bufferShare: 0.25, preferredWeekdays: [7, 2] });
  expect(problem.taken).toEqual([{ start: 5, end: 9 }]);
});

it('gives a plan without an end two years, and begins as early as possible', () => {
  const strategy = { loading: 'even', bufferShare: 0, preferredWeekdays: [] } as const;
  const { context } = buildPlan([buildNode('p'), buildNode('p.-.t')]);
  const dates = { start: '2027-01-04', fixed: [] };
  const plan = buildPlan([buildNode('p'), buildNode('p.-.t')], {
    context: { ...context, strategy: { ...strategy, preferredWeekdays: [] }, dates },
  });
  const { window, profile } = buildScheduleProblem(plan);
  expect([formatInstant(window.end), profile.distribution]).toEqual(['2029-01-03T23:00:00.000Z', 'front_loaded']);
});

it('links tasks, and containers by milestones at their start and end', () => {
  const nodes = ['p', 'p.-.a', 'p.-.b', 'q', 'q.m', 'q.m.c', 'q.m.d', 'r', 'r.-.e'].map((id) => buildNode(id));
  const dependencies = [
    buildDependency('p.-.a SS p.-.b', { amount: 2, unit: 'days' }),
    buildDependency('q.m FF r.-.e', { amount: -1, unit: 'days', time: 'elapsed' }),
    buildDependency('p.-.a FS q.m.d', { amount: 3, unit: 'hours' }),
  ];
  expect(listLinks(buildPlan(nodes, { dependencies, overlapping: ['r'] })).sort()).toEqual([
    'p.-.a FS p@end 0 working',
    'p.-.a FS q.m.d 180 working',
    'p.-.a SS p.-.b 960 working',
    'p.-.b FS p@end 0 working',
    'p@end FS q@start 0 working',
    'q.m FF r.-.e -1440 elapsed',
    'q.m.c FS q.m 0 working',
    'q.m.d FS q.m 0 working',
    'q@start FS q.m.c 0 working',
    'q@start FS q.m.d 0 working',
  ]);
});

it('lets a container start with a task that does not wait for what waits for it', () => {
  const nodes = ['p', 'p.m', 'p.m.a', 'p.m.b', 'q', 'q.-.c'].map((id) => buildNode(id));
  const dependencies = [buildDependency('p.m SS q.-.c'), buildDependency('q.-.c FS p.m.a')];
  const links = listLinks(buildPlan(nodes, { dependencies, overlapping: ['q'] }));
  expect(links).toContain('p.m.b SS q.-.c 0 working');
});

it('holds milestones, measures and fixed days', () => {
  const measure = {
    unit: 'km',
    from: 0,
    targets: [
      { value: 5, by: '2027-01-11' },
      { value: 9, by: '2027-01-29' },
    ],
  };
  const nodes = [
    ...[buildNode('p'), buildNode('p.m'), buildNode('p.m.a'), buildNode('p.m.b')],
    ...[buildNode('q', { time: 'cumulative', measure }), buildNode('q.-.c', { time: 'cumulative' })],
  ];
  const fixed = [{ node: 'p.m.b', title: 'Exam', day: '2027-01-08' }];
  const dates = { start: '2027-01-04', end: '2027-03-31', fixed };
  const plan = buildPlan(nodes, { due: { 'p.m': '2027-01-13' }, context: { dates } });
  const tasks = buildScheduleProblem(plan).tasks.map(({ id, minutes, latestEnd, fixedStart }) =>
    [
      id,
      minutes,
      ...[latestEnd, fixedStart].map((at) => (at === undefined ? '' : formatInstant(at).slice(5, 16))),
    ].join(' '),
  );
  expect(tasks.sort()).toEqual([
    'p.m 0 01-13T23:00 ',
    'p.m.a 60  ',
    'p.m.b 60  01-08T08:00',
    'p@end 0  ',
    'q.-.c 60  ',
    'q@end 0 01-29T23:00 ',
  ]);
});

it('places recurring tasks one after another, on days and at times with room', () => {
  const nodes = [
    ...[
      buildNode('c', weekly),
      buildNode('c.-.a', inherited),
      buildNode('c.-.b', { ...inherited, estimateMinutes: 45 }),
    ],
    buildNode('c.-.d', { time: 'recurring', recurrence: 'FREQ=WEEKLY;COUNT=2' }),
  ];
  const taken = [{ start: parseInstant('2027-01-12T08:15:00Z'), end: parseInstant('2027-01-12T09:00:00Z') }];
  const plan = buildPlan(nodes, { dependencies: [buildDependency('c.-.b FS c.-.a')] });
  // Each start avoids the taken time in the second week.
  expect(listStarts({ ...plan, taken })).toEqual([
    'c.-.a 2027-01-05T10:45',
    'c.-.b 2027-01-05T10:00',
    'c.-.d 2027-01-04T09:00',
  ]);
  const capacity = { minutesPerDay: 100, minutesPerWeek: 900 };
  const tight = listStarts({ ...plan, context: { ...plan.context, capacity } });
  expect(tight.map((text) => text.slice(-16, -6))).toEqual(['2027-01-05', '2027-01-05', '2027-01-04']);
});

it('begins a recurring task after what it waits for, and reports a rule that ends before', () => {
  const nodes = [
    ...[buildNode('p'), buildNode('p.-.a', { estimateMinutes: 3000 })],
    ...[buildNode('c', weekly), buildNode('c.-.b', inherited)],
  ];
  // 3000 minutes take six days and two hours.
  expect(listStarts(buildPlan(nodes))).toEqual(['c.-.b 2027-01-12T11:00']);
  const ending = { ...weekly, recurrence: 'FREQ=WEEKLY;BYDAY=TU;UNTIL=20270110' };
  const late = buildPlan(nodes.map((node) => (node.id === 'c' ? { ...node, ...ending } : node)));
  expect(generateSchedule(buildScheduleProblem(late))).toMatchObject({
    kind: 'infeasible',
    proof: { argument: { kind: 'chain', late: 'c.-.b#1' } },
  });
});

it('writes the first occurrence with the rule from there, and keeps the days that are left out', () => {
  const nodes = [buildNode('c', weekly), buildNode('c.-.a', { ...inherited, exceptDays: ['2027-01-05'] })];
  const plan = buildPlan(nodes);
  expect(buildScheduleProblem(plan).series).toEqual([
    {
      ...{ id: 'c.-.a', minutes: 60, except: [1] },
      recurrence: { rule: 'FREQ=WEEKLY;BYDAY=TU;COUNT=3', firstStart: '2027-01-05T09:00' },
    },
  ]);
  expect(schedule(plan)).toEqual([
    {
      ...{ task: 'c.-.a', start: '2027-01-12T08:00:00.000Z', end: '2027-01-12T09:00:00.000Z', zone: 'Europe/Berlin' },
      ...{ recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=2', floatMinutes: 0, critical: true },
    },
  ]);
});

it('writes float and the critical path', () => {
  const nodes = ['p', 'p.m', 'p.m.a', 'p.m.b', 'p.m.c'].map((id) =>
    buildNode(id, id === 'p.m.b' ? { estimateMinutes: 240 } : {}),
  );
  const plan = buildPlan(nodes, { dependencies: [buildDependency('p.m.a FS p.m.b')] });
  expect(list(plan)).toEqual([
    'p.m.a 01-04T08:00 01-04T09:00',
    'p.m.c 01-04T09:00 01-04T10:00',
    'p.m.b 01-04T10:00 01-04T14:00',
  ]);
  expect(schedule(plan).map(({ floatMinutes, critical }) => [floatMinutes, critical])).toEqual([
    [0, true],
    [240, false],
    [0, true],
  ]);
});

it('finds the critical path beside a recurring task that nothing waits for', () => {
  const habit = [buildNode('c', weekly), buildNode('c.-.b', inherited)];
  const nodes = [buildNode('p'), buildNode('p.-.a'), ...habit];
  const rate = (plan: PlanInput) => schedule(plan).map(({ task, critical }) => `${task} ${critical}`);
  expect(rate(buildPlan(nodes, { overlapping: ['c'] }))).toEqual(['p.-.a true', 'c.-.b false']);
  const dependencies = [buildDependency('p.-.a FS c.-.b')];
  const [first] = schedule(
    buildPlan([...nodes, buildNode('p.-.e', { estimateMinutes: 2400 })], { overlapping: ['c'], dependencies }),
  );
  // It can be later until the first occurrence, on the next morning.
  expect(first).toMatchObject({ task: 'p.-.a', floatMinutes: 420, critical: false });
  // The phase after it waits for its last occurrence.
  const after = [...nodes, buildNode('q'), buildNode('q.-.d')];
  expect(rate(buildPlan(after, { overlapping: ['c'] }))).toEqual(['p.-.a false', 'c.-.b true', 'q.-.d true']);
});

it('refuses a task without an estimate and a calendar without hours', () => {
  const plan = buildPlan([buildNode('p'), buildNode('p.-.a')]);
  const { estimateMinutes: _, ...bare } = plan.outline.nodes[1]!;
  expect(() => buildScheduleProblem(buildPlan([plan.outline.nodes[0]!, bare]))).toThrow(/"p.-.a" has no estimate/);
  const closed = { ...plan.context, calendar: { hours: [], holidays: [] } };
  expect(() => buildScheduleProblem({ ...plan, context: closed })).toThrow(/hours on some weekday/);
});
