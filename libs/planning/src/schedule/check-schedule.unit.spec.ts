import { SeededRandom } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import { parseInstant } from '../calendar/instant.js';
import { checkSchedule } from './check-schedule.js';
import { generateSchedule } from './generate-schedule.js';
import { generateLargeProblem } from './problem.fixture.js';
import type { PlacedSchedule, PlacedTask } from './schedule.js';
import type { ScheduleProblem } from './schedule-problem.js';

const at = (text: string) => parseInstant(`2026-06-${text}:00Z`);
const evening = [{ from: '18:00', to: '20:00' }];
/** Monday to Thursday: an appointment, two movable tasks, a milestone and a course. */
const problem: ScheduleProblem = {
  calendar: { zone: 'UTC', hours: Array.from({ length: 7 }, () => evening), closedDays: ['2026-06-09'], openDays: [] },
  window: { start: at('01T00:00'), end: at('20T00:00') },
  tasks: [
    { id: 'a', minutes: 100 },
    { id: 'b', minutes: 30, latestEnd: at('03T20:00') },
    { id: 'done', minutes: 0 },
    { id: 'fixed', minutes: 45, fixedStart: at('04T18:00') },
  ],
  series: [{ id: 'course', minutes: 60, recurrence: { rule: 'FREQ=WEEKLY;COUNT=3', firstStart: '2026-06-02T19:00' } }],
  links: [
    { from: 'a', to: 'b', kind: 'FS', lag: 30, unit: 'working' },
    { from: 'b', to: 'done', kind: 'FS', lag: 0, unit: 'working' },
    { from: 'done', to: 'fixed', kind: 'FS', lag: 0, unit: 'elapsed' },
    { from: 'fixed', to: 'course', kind: 'FF', lag: 0, unit: 'working' },
  ],
  capacity: { minutesPerDay: 100, minutesPerWeek: 300 },
  taken: [{ start: at('03T18:00'), end: at('03T18:20') }],
  profile: { distribution: 'front_loaded', bufferShare: 0.1, preferredWeekdays: [] },
};

const generate = (given: ScheduleProblem): PlacedSchedule => {
  const answer = generateSchedule(given);
  if (answer.kind !== 'feasible') throw new Error(`The problem is ${answer.kind}.`);
  return answer.schedule;
};
const schedule = generate(problem);
const change = (id: string, changed: Partial<PlacedTask>): PlacedSchedule => ({
  ...schedule,
  tasks: schedule.tasks.map((task) => (task.id === id ? { ...task, ...changed } : task)),
});
const place = (id: string, start: number, end: number): PlacedSchedule =>
  change(id, { start, end, sessions: [{ start, end }] });
const listRules = (changed: PlacedSchedule) =>
  [...new Set(checkSchedule(problem, changed).map(({ rule }) => rule))].sort();

describe('checkSchedule', () => {
  it('accepts the schedule that was generated', () => {
    expect(checkSchedule(problem, schedule)).toEqual([]);
    expect(schedule.skipped).toEqual(['course#2']);
    expect(
      schedule.tasks.map(({ id, sessions }) => [
        id,
        ...sessions.map(({ start, end }) => [start - at('01T18:00'), end - start]),
      ]),
    ).toEqual([
      // Without the buffer a day has 90 minutes, of which course and taken time take some.
      ['a', [0, 90], [1440, 15]],
      ['b', [1485, 15], [2910, 15]],
      ['course#1', [1500, 60]],
      ['done'],
      ['fixed', [4320, 45]],
      ['course#3', [21_660, 60]],
    ]);
  });

  it.each<[string, PlacedSchedule, readonly string[]]>([
    ['another zone', { ...schedule, zone: 'Europe/Berlin' }, ['zone']],
    ['a task too few', { ...schedule, tasks: schedule.tasks.filter(({ id }) => id !== 'done') }, ['task_missing']],
    [
      'an occurrence too few',
      { ...schedule, tasks: schedule.tasks.filter(({ id }) => id !== 'course#3') },
      ['recurrence'],
    ],
    ['a skipped date that is not named', { ...schedule, skipped: [] }, ['recurrence']],
    [
      'a task twice',
      { ...schedule, tasks: [...schedule.tasks, schedule.tasks.find(({ id }) => id === 'done')!] },
      ['task_doubled'],
    ],
    [
      'a task of another plan',
      { ...schedule, tasks: [...schedule.tasks, { id: 'x', start: 0, end: 0, sessions: [] }] },
      ['task_unknown'],
    ],
    ['a task that is too short', place('b', at('03T18:30'), at('03T18:45')), ['length']],
    ['a start off the grid', place('b', at('03T18:35'), at('03T19:05')), ['dependency', 'sessions']],
    ['times that differ from the sessions', change('b', { start: at('03T18:45') }), ['sessions']],
    ['work in closed time', place('b', at('03T17:30'), at('03T18:00')), ['closed_time']],
    ['work in taken time', place('b', at('03T18:15'), at('03T18:45')), ['taken_time']],
    ['a task after its date', place('b', at('03T19:45'), at('03T20:15')), ['closed_time', 'date', 'dependency']],
    ['an appointment that is moved', place('fixed', at('05T18:00'), at('05T18:45')), ['fixed_date']],
    ['a successor that is too early', place('b', at('02T18:15'), at('02T18:45')), ['capacity_day', 'dependency']],
    ['work during an appointment', place('b', at('04T18:30'), at('04T19:00')), ['date', 'dependency', 'overlap']],
    ['work after the end of the plan', place('course#3', at('20T18:00'), at('20T19:00')), ['fixed_date', 'window']],
  ])('finds %s', (_name, changed, rules) => {
    expect(listRules(changed)).toEqual(rules);
  });

  it('finds work that exceeds the capacity of the week, and tasks that are mixed', () => {
    expect(checkSchedule({ ...problem, capacity: { minutesPerDay: 100, minutesPerWeek: 250 } }, schedule)).toEqual([
      { rule: 'capacity_week', tasks: ['a', 'b', 'course#1', 'fixed'] },
    ]);
    const sessions = [
      { start: at('01T18:00'), end: at('01T19:30') },
      { start: at('05T18:00'), end: at('05T18:15') },
    ];
    expect(listRules(change('a', { end: at('05T18:15'), sessions }))).toEqual(['dependency', 'one_at_a_time']);
  });

  it('finds every change of a session in a generated schedule', () => {
    const random = new SeededRandom(5);
    const large = generateLargeProblem(random, 30, 120);
    const good = generate({ ...large, profile: { ...large.profile, distribution: 'front_loaded' } });
    const movable = good.tasks.filter(({ series, sessions }) => series === undefined && sessions.length > 0);
    for (const moved of movable) {
      const sessions = moved.sessions.slice(1);
      const first = moved.sessions[0]!;
      // The earliest placement leaves nothing before the work but what a rule forbids, so that the whole task a year earlier breaks one.
      const earlier = { start: first.start - 525_600, end: first.end - 525_600 };
      const tasks = good.tasks.map((task) =>
        task === moved ? { ...task, start: earlier.start, sessions: [earlier, ...sessions] } : task,
      );
      expect(checkSchedule(large, { ...good, tasks })).not.toEqual([]);
    }
    expect(movable.length).toBeGreaterThan(20);
  });
});
