import { describe, expect, it } from 'vitest';
import { formatInstant, getWeek, getWeekday, parseInstant } from '../calendar/instant.js';
import { WorkingCalendar } from '../calendar/working-calendar.js';
import { checkProof } from './check-proof.js';
import { checkSchedule } from './check-schedule.js';
import { generateSchedule } from './generate-schedule.js';
import type { ScheduleProblem, ScheduleTask, PlacementProfile } from './schedule-problem.js';

const evening = [{ from: '19:00', to: '21:00' }];
const front: PlacementProfile = { distribution: 'front_loaded', bufferShare: 0, preferredWeekdays: [] };
/** Two hours each evening in Berlin for four weeks, around the change of the clock on 2026-03-29. */
const build = (tasks: readonly ScheduleTask[], more: Partial<ScheduleProblem> = {}): ScheduleProblem => ({
  calendar: { zone: 'Europe/Berlin', hours: Array.from({ length: 7 }, () => evening), closedDays: [], openDays: [] },
  window: { start: parseInstant('2026-03-15T23:00:00Z'), end: parseInstant('2026-04-12T22:00:00Z') },
  tasks,
  series: [],
  links: [],
  capacity: { minutesPerDay: 120, minutesPerWeek: 480 },
  taken: [],
  profile: front,
  ...more,
});
const generate = (problem: ScheduleProblem) => {
  const answer = generateSchedule(problem);
  if (answer.kind !== 'feasible') throw new Error(`The problem is ${JSON.stringify(answer)}.`);
  expect(checkSchedule(problem, answer.schedule)).toEqual([]);
  return answer.schedule.tasks;
};
const list = (problem: ScheduleProblem) =>
  generate(problem).map(
    ({ id, sessions }) =>
      `${id} ${sessions.map(({ start, end }) => `${formatInstant(start).slice(5, 16)}+${end - start}`).join(' ')}`,
  );
const works = Array.from({ length: 8 }, (_, index) => ({ id: `t${index}`, minutes: 60 }));
const countWeeks = (problem: ScheduleProblem) => {
  const calendar = new WorkingCalendar(problem.calendar);
  const weeks = Map.groupBy(generate(problem), ({ start }) => getWeek(calendar.getDay(start)));
  return [...weeks.keys()].sort((a, b) => a - b).map((week) => weeks.get(week)!.length);
};

describe('generateSchedule', () => {
  it('divides a task into sessions by closed time, taken time and capacity', () => {
    const taken = [{ start: parseInstant('2026-03-17T18:30:00Z'), end: parseInstant('2026-03-17T19:00:00Z') }];
    const problem = build([{ id: 'a', minutes: 250 }], { taken, capacity: { minutesPerDay: 90, minutesPerWeek: 200 } });
    expect(list(problem)).toEqual(['a 03-16T18:00+90 03-17T18:00+30 03-17T19:00+30 03-18T18:00+15 03-23T18:00+90']);
  });

  it('keeps the evening over the change of the clock', () => {
    const series = [
      { id: 'run', minutes: 30, recurrence: { rule: 'FREQ=WEEKLY;BYDAY=SU;COUNT=3', firstStart: '2026-03-22T19:00' } },
    ];
    const closedDays = ['2026-04-05'];
    const base = build([{ id: 'a', minutes: 30, earliestStart: parseInstant('2026-03-29T00:00:00Z') }]);
    const problem = { ...base, series, calendar: { ...base.calendar, closedDays } };
    expect(list(problem)).toEqual(['run#1 03-22T18:00+30', 'run#2 03-29T17:00+30', 'a 03-29T17:30+30']);
  });

  it('pauses a task whose end has to wait, and puts what fits before it', () => {
    const problem = build(
      [
        { id: 'a', minutes: 15 },
        { id: 'b', minutes: 30 },
        { id: 'c', minutes: 60 },
      ],
      { links: [{ from: 'a', to: 'b', kind: 'FF', lag: 2880, unit: 'elapsed' }] },
    );
    expect(list(problem)).toEqual(['a 03-16T18:00+15', 'c 03-16T18:15+60', 'b 03-16T19:15+15 03-18T18:00+15']);
  });

  it.each([
    ['front_loaded', [8]],
    ['even', [2, 2, 2, 2]],
    ['back_loaded', [8]],
  ] as const)('lays work out %s', (distribution, weeks) => {
    const problem = build(works, { profile: { ...front, distribution } });
    expect(countWeeks(problem)).toEqual(weeks);
    const last = generate(problem).at(-1)!.end;
    if (distribution === 'back_loaded') expect(formatInstant(last)).toBe('2026-04-12T19:00:00.000Z');
  });

  it('keeps a share of the capacity free, and preferred weekdays as long as dates allow it', () => {
    const calendar = new WorkingCalendar(build([]).calendar);
    const days = (problem: ScheduleProblem) =>
      [...new Set(generate(problem).map(({ start }) => getWeekday(calendar.getDay(start))))].sort();
    expect(countWeeks(build(works, { profile: { ...front, bufferShare: 0.5 } }))).toEqual([4, 4]);
    expect(days(build(works, { profile: { ...front, preferredWeekdays: [3, 6] } }))).toEqual([3, 6]);
    const early = works.map((task) => ({ ...task, latestEnd: parseInstant('2026-03-20T00:00:00Z') }));
    expect(days(build(early, { profile: { ...front, preferredWeekdays: [3, 6] } }))).toEqual([1, 2, 3, 4]);
  });

  it('offers changes with which there is a schedule', () => {
    const tasks = [...works.map((task) => ({ ...task, minutes: 240 })), { id: 'more', minutes: 60, optional: true }];
    const answer = generateSchedule(build(tasks, { profile: { ...front, bufferShare: 0.1 } }));
    expect(answer).toMatchObject({
      kind: 'infeasible',
      notMinimal: false,
      relaxations: [
        { kind: 'later_deadline', days: 7 },
        { kind: 'more_capacity', capacity: { minutesPerDay: 150, minutesPerWeek: 600 } },
      ],
    });
  });

  it('refuses what is not well formed', () => {
    expect(() => generateSchedule(build([works[0]!, works[0]!]))).toThrow('same id');
    const series = [{ id: 's', minutes: 30, recurrence: { rule: 'FREQ=DAILY', firstStart: '2026-03-22T19:00' } }];
    expect(() => generateSchedule(build([], { series }))).toThrow('never ends');
    expect(generate(build([]))).toEqual([]);
  });

  it('proves an overload by appointments that take the capacity of the same week later on', () => {
    // On Monday there is time for the task; the week has no capacity for it, because of Tuesday to Friday.
    const series = [
      { id: 'run', minutes: 110, recurrence: { rule: 'FREQ=DAILY;COUNT=4', firstStart: '2026-03-17T19:00' } },
    ];
    const task = { id: 'a', minutes: 60, latestEnd: parseInstant('2026-03-16T21:00:00Z') };
    const problem = build([task], { series, capacity: { minutesPerDay: 120, minutesPerWeek: 450 } });
    const answer = generateSchedule(problem);
    expect(answer).toMatchObject({ kind: 'infeasible', proof: { argument: { kind: 'work', tasks: ['a'] } } });
    expect(answer.kind === 'infeasible' && checkProof(problem, answer.proof)).toBe(true);
  });
});
