import { expect, it } from 'vitest';
import { parseInstant } from '../calendar/instant.js';
import type { Argument, Relaxation } from '../schedule/schedule.js';
import { applyRelaxationToPlan } from './apply-relaxation-to-plan.js';
import { generateSchedule } from '../schedule/generate-schedule.js';
import { buildScheduleProblem } from './build-schedule-problem.js';
import { describeConflict } from './describe-conflict.js';
import { describeRelaxation } from './describe-relaxation.js';
import { buildDependency, buildNode, buildPlan } from './stage.fixture.js';

const measure = {
  unit: 'km',
  from: 0,
  targets: [
    { value: 5, by: '2027-01-11' },
    { value: 9, by: '2027-01-29' },
  ],
};
const plan = buildPlan(
  [
    ...[buildNode('p'), buildNode('p.m'), buildNode('p.m.a'), buildNode('p.m.b'), buildNode('p.n'), buildNode('p.n.c')],
    buildNode('q', { time: 'recurring', recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=3' }),
    buildNode('q.-.d', { time: 'recurring' }),
    ...[buildNode('r', { time: 'cumulative', measure }), buildNode('r.-.e', { time: 'cumulative' })],
  ],
  {
    dependencies: [buildDependency('p.n FS p.m.b'), buildDependency('p.m.a FS p.m.b')],
    due: { 'p.m': '2027-01-29', 'p.n': '2027-01-15' },
    overlapping: ['q', 'r'],
    context: {
      dates: {
        ...{ start: '2027-01-04', end: '2027-01-31' },
        fixed: [{ node: 'p.n.c', title: 'Exam', day: '2027-01-12' }],
      },
      strategy: { loading: 'even', bufferShare: 0.5, preferredWeekdays: [] },
    },
  },
);
const { outline } = plan;

it.each<[Relaxation, string]>([
  [
    { kind: 'later_deadline', days: 14, tasks: ['p.m', 'r@end', 'q.-.d#1', 'q.-.d#3'] },
    'Move the end of the plan 14 days later, and with it every due date among “Title of p.m”, the end of “Title of r” and occurrences 1 and 3 of “Title of q.-.d”.',
  ],
  [
    { kind: 'more_capacity', capacity: { minutesPerDay: 90, minutesPerWeek: 600 } },
    'Work up to 1 hour 30 minutes per day and 10 hours per week.',
  ],
  [{ kind: 'no_buffer' }, 'Plan without the buffer, so that work may fill the whole capacity of each day and week.'],
  [{ kind: 'drop_task', task: 'p.m.a' }, 'Leave out “Title of p.m.a”.'],
  [{ kind: 'fewer_occurrences', series: 'q.-.d', dropped: [2] }, 'Leave out occurrence 2 of “Title of q.-.d”.'],
  [{ kind: 'free_date', task: 'p.n.c' }, 'Let “Title of p.n.c” take place on another day than the one that is fixed.'],
])('describes the relaxation %j', (relaxation, text) => {
  expect(describeRelaxation(relaxation, outline)).toBe(text);
});

it.each<[Argument, readonly string[], string]>([
  [
    { kind: 'cycle', cycle: ['p.m.a', 'p.m.b'] },
    ['p.m.a', 'p.m.b'],
    'These wait for each other, so that none of them can begin: “Title of p.m.a” → “Title of p.m.b” → “Title of p.m.a”.',
  ],
  [
    { kind: 'fixed_dates', reason: 'closed' },
    ['q.-.d#2'],
    'Occurrence 2 of “Title of q.-.d” is fixed at a time that is not within your working hours.',
  ],
  [
    { kind: 'fixed_dates', reason: 'overlap' },
    ['p.n.c', 'q.-.d#2'],
    '“Title of p.n.c” and occurrence 2 of “Title of q.-.d” are fixed at the same time.',
  ],
  [
    { kind: 'chain', late: 'p.m' },
    ['p.m.a', 'p.m'],
    '“Title of p.m” would be later than its date allows, even with unlimited time per day, because of what comes before it: “Title of p.m.a” and “Title of p.m”.',
  ],
  [
    {
      ...{ kind: 'work', tasks: ['p.m.a', 'p.m.b'] },
      ...{ from: parseInstant('2027-01-04T08:00:00Z'), to: parseInstant('2027-01-29T23:00:00Z') },
    },
    ['p.m.a', 'p.m.b', 'p.m'],
    '“Title of p.m.a” and “Title of p.m.b” must be done between Mon, 4 Jan 2027, 09:00 and Sat, 30 Jan 2027, 00:00 (Europe/Berlin), which is more work than the capacity of that time. What depends on it or takes its time: “Title of p.m”.',
  ],
  [
    { kind: 'every_order', refuted: [] },
    ['p.m.a', 'p.m.b', 'p.n.c'],
    'However they are ordered, “Title of p.m.a”, “Title of p.m.b” and “Title of p.n.c” do not fit together: in every order, one of them is later than its date allows.',
  ],
])('describes the conflict %j of %j', (argument, conflict, text) => {
  expect(describeConflict({ conflict, argument }, outline, 'Europe/Berlin')).toBe(text);
});

it('moves the end of the plan and the dates of what is named', () => {
  const changed = applyRelaxationToPlan({ kind: 'later_deadline', days: 7, tasks: ['p.m', 'r@end', 'p.m.a'] }, plan);
  expect(changed.changed).toBe('context');
  expect(changed.context.dates.end).toBe('2027-02-07');
  expect(changed.roadmap.phases[0]!.milestones).toEqual([
    { node: 'p.m', due: '2027-02-05' },
    { node: 'p.n', due: '2027-01-15' },
  ]);
  expect(changed.outline.nodes.find(({ id }) => id === 'r')!.measure!.targets.map(({ by }) => by)).toEqual([
    '2027-01-11',
    '2027-02-05',
  ]);
});

it('gives a plan without an end that takes more than two years one', () => {
  const long = Array.from({ length: 10 }, (_, index) => buildNode(`p.-.t${index}`, { estimateMinutes: 13_000 }));
  const capacity = { minutesPerDay: 480, minutesPerWeek: 1240 };
  const dates = { start: '2027-01-04', fixed: [] };
  const endless = buildPlan([buildNode('p'), ...long], { context: { dates, capacity } });
  expect(generateSchedule(buildScheduleProblem(endless)).kind).toBe('infeasible');
  const { changed, context } = applyRelaxationToPlan({ kind: 'later_deadline', days: 14, tasks: ['p.-.t0'] }, endless);
  expect([changed, context.dates.end]).toEqual(['context', '2029-01-17']);
});

it('changes only the outline or only the roadmap of a plan without an end', () => {
  const { end: _, ...dates } = plan.context.dates;
  const endless = { ...plan, context: { ...plan.context, dates } };
  const postpone = (task: string) =>
    applyRelaxationToPlan({ kind: 'later_deadline', days: 7, tasks: [task] }, endless).changed;
  expect([postpone('r@end'), postpone('p.m')]).toEqual(['outline', 'roadmap']);
});

it('changes only what a relaxation names', () => {
  const list = (relaxation: Relaxation) => {
    const { changed, ...found } = applyRelaxationToPlan(relaxation, plan);
    return [changed, ...(['context', 'outline', 'roadmap'] as const).filter((key) => found[key] !== plan[key])];
  };
  const capacity = { minutesPerDay: 1500, minutesPerWeek: 3000 };
  expect(list({ kind: 'more_capacity', capacity })).toEqual(['context', 'context']);
  expect(list({ kind: 'no_buffer' })).toEqual(['context', 'context']);
  expect(list({ kind: 'free_date', task: 'p.n.c' })).toEqual(['context', 'context']);
  expect(list({ kind: 'fewer_occurrences', series: 'q.-.d', dropped: [1, 3] })).toEqual(['outline', 'outline']);
  const { context } = applyRelaxationToPlan({ kind: 'more_capacity', capacity }, plan);
  expect(context.capacity).toEqual({ minutesPerDay: 1440, minutesPerWeek: 3000 });
  const fewer = applyRelaxationToPlan({ kind: 'fewer_occurrences', series: 'q.-.d', dropped: [1, 3] }, plan);
  expect(fewer.outline.nodes.find(({ id }) => id === 'q.-.d')!.exceptDays).toEqual(['2027-01-05', '2027-01-19']);
});

it('drops a task with the containers that it leaves empty and with everything that names them', () => {
  const { changed, context, roadmap, ...rest } = applyRelaxationToPlan({ kind: 'drop_task', task: 'p.n.c' }, plan);
  expect(changed).toBe('context');
  expect(context.dates.fixed).toEqual([]);
  expect(rest.outline.nodes.map(({ id }) => id)).toEqual(['p', 'p.m', 'p.m.a', 'p.m.b', 'q', 'q.-.d', 'r', 'r.-.e']);
  expect(roadmap.phases[0]).toMatchObject({ milestones: [{ node: 'p.m' }], tasks: ['p.m.a', 'p.m.b'] });
  expect(roadmap.dependencies.map(({ from, to }) => `${from} ${to}`)).toEqual(['p.m.a p.m.b']);
});
