import { SeededRandom } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import { formatInstant, type Interval, parseDay, parseInstant } from '../calendar/instant.js';
import { WorkingCalendar } from '../calendar/working-calendar.js';
import { generateCalendar } from '../network/network.fixture.js';
import { findPortfolioConflicts } from './find-portfolio-conflicts.js';
import { listWork, type Work } from './list-work.js';
import { measureUtilisation } from './measure-utilisation.js';
import type { PortfolioTask } from './portfolio-task.js';
import { suggestShifts } from './suggest-shifts.js';

const weekday = [{ from: '09:00', to: '17:00' }];
const calendar = new WorkingCalendar({
  ...{ zone: 'UTC', closedDays: ['2027-01-06'], openDays: [] },
  hours: [weekday, weekday, weekday, weekday, weekday, [], []],
});
const capacity = { minutesPerDay: 240, minutesPerWeek: 1_200 };
const at = (text: string) => parseInstant(`2027-01-${text}:00Z`);
// Monday to Friday of four weeks.
const window = { start: at('04T00:00'), end: at('30T00:00') };

const buildTask = (start: string, end: string, more: Partial<PortfolioTask> = {}): PortfolioTask => ({
  ...{ plan: 'other', task: 'shop', title: 'Shop', start: `2027-01-${start}:00Z`, end: `2027-01-${end}:00Z` },
  ...{ zone: 'UTC', ...more },
});
const list = (...tasks: readonly PortfolioTask[]) => listWork(tasks, calendar, window);
const format = (work: readonly Work[]) =>
  work.map(({ start, end, isExact }) => [
    ...[formatInstant(start).slice(8, 16), formatInstant(end).slice(8, 16), isExact],
  ]);

describe('the work of a task', () => {
  it('is its time, if it has no pauses', () => {
    expect(format(list(buildTask('04T09:00', '04T10:00', { workMinutes: 60 })))).toEqual([
      ['04T09:00', '04T10:00', true],
    ]);
    expect(format(list(buildTask('04T20:00', '04T22:00')))).toEqual([['04T20:00', '04T22:00', true]]);
  });

  it('is the open time of its days, if it fills that', () => {
    const expected = [
      ['04T16:00', '04T17:00', true],
      ['05T09:00', '05T11:00', true],
    ];
    expect(format(list(buildTask('04T16:00', '05T11:00', { workMinutes: 180 })))).toEqual(expected);
    expect(format(list(buildTask('04T16:00', '05T11:00')))).toEqual(expected);
  });

  it('is divided among its days, if it has pauses that nobody knows', () => {
    expect(format(list(buildTask('04T16:30', '08T17:00', { workMinutes: 210 })))).toEqual([
      ['04T16:30', '04T17:00', false],
      ['05T16:00', '05T17:00', false],
      ['07T16:00', '07T17:00', false],
      ['08T16:00', '08T17:00', false],
    ]);
  });

  it('is repeated, but not on closed days and those that it leaves out', () => {
    const recurrence = 'FREQ=DAILY;COUNT=5';
    expect(format(list(buildTask('04T09:00', '04T09:30', { recurrence, exceptDays: ['2027-01-07'] })))).toEqual([
      ['04T09:00', '04T09:30', true],
      ['05T09:00', '05T09:30', true],
      ['08T09:00', '08T09:30', true],
    ]);
  });

  it('outside of the window is left out', () => {
    expect(
      listWork([buildTask('04T09:00', '04T10:00')], calendar, { start: at('05T00:00'), end: at('06T00:00') }),
    ).toEqual([]);
  });
});

describe('plans of one person', () => {
  const own = list(buildTask('04T09:00', '04T11:00', { plan: 'own', task: 'saw', title: 'Saw' }));
  const compare = (...others: readonly PortfolioTask[]) => ({ own, others: list(...others), calendar, capacity });

  it('overlap where two tasks have the same time', () => {
    expect(findPortfolioConflicts(compare(buildTask('04T10:30', '04T11:30')))).toEqual([
      {
        ...{ kind: 'overlap', task: 'saw', start: '2027-01-04T09:00:00.000Z', end: '2027-01-04T11:00:00.000Z' },
        other: { plan: 'other', task: 'shop', title: 'Shop' },
      },
    ]);
    expect(findPortfolioConflicts(compare(buildTask('04T11:00', '04T12:00')))).toEqual([]);
  });

  it('exceed a day or a week together', () => {
    const day = { kind: 'day', from: '2027-01-04', minutes: 300, capacityMinutes: 240, tasks: ['saw'] };
    expect(findPortfolioConflicts(compare(buildTask('04T12:00', '04T15:00')))).toEqual([day]);
    const others = ['05', '07', '08', '09', '10'].map((date) => buildTask(`${date}T09:00`, `${date}T13:00`));
    expect(findPortfolioConflicts(compare(...others))).toEqual([
      { kind: 'week', from: '2027-01-04', minutes: 1_320, capacityMinutes: 1_200, tasks: ['saw'] },
    ]);
  });

  it('have a suggestion for each task in a conflict', () => {
    const shifts = suggestShifts(compare(buildTask('04T10:30', '04T13:30')), window);
    expect(shifts).toEqual([
      {
        ...{ task: 'saw', from: '2027-01-04T09:00:00.000Z' },
        ...{ to: '2027-01-05T09:00:00.000Z', toEnd: '2027-01-05T11:00:00.000Z' },
      },
    ]);
    expect(suggestShifts(compare(), window)).toEqual([]);
  });

  it('have no suggestion where no time is left', () => {
    const narrow = { start: at('04T00:00'), end: at('05T00:00') };
    expect(suggestShifts(compare(buildTask('04T10:30', '04T13:30')), narrow)).toEqual([]);
  });

  it('have a load per day and per week', () => {
    const work = list(
      buildTask('04T09:00', '04T11:00'),
      buildTask('08T09:00', '08T10:00'),
      buildTask('11T09:00', '11T15:00'),
    );
    expect(measureUtilisation(work, calendar, capacity)).toEqual({
      days: [
        { from: '2027-01-04', minutes: 120, share: 0.5 },
        { from: '2027-01-08', minutes: 60, share: 0.25 },
        { from: '2027-01-11', minutes: 360, share: 1.5 },
      ],
      weeks: [
        { from: '2027-01-04', minutes: 180, share: 0.15 },
        { from: '2027-01-11', minutes: 360, share: 0.3 },
      ],
    });
  });
});

/** Two plans that often have the same times, around changes of the clock. */
function generatePortfolios(random: SeededRandom) {
  const { spec, start } = generateCalendar(random);
  const generated = new WorkingCalendar(spec);
  const range: Interval = { start, end: start + 40 * 1_440 };
  const generateTask = (plan: string, index: number): PortfolioTask => {
    const first = generated.nextOpen(start + 15 * random.between(0, 1_200));
    const minutes = 15 * random.between(1, 6);
    const pauses = random.chance(0.3) ? 15 * random.between(1, 300) : 0;
    const recurrence = random.chance(0.2) ? { recurrence: `FREQ=DAILY;COUNT=${random.between(1, 9)}` } : {};
    return {
      ...{ plan, task: `${plan}${index}`, title: 'A task', zone: spec.zone, workMinutes: minutes },
      ...{ start: formatInstant(first), end: formatInstant(first + minutes + pauses) },
      ...recurrence,
    };
  };
  const generate = (plan: string) =>
    Array.from({ length: random.between(0, 8) }, (_, index) => generateTask(plan, index));
  const limits = { minutesPerDay: 15 * random.between(2, 16), minutesPerWeek: 15 * random.between(10, 60) };
  return { tasks: { own: generate('own'), others: generate('other') }, calendar: generated, capacity: limits, range };
}

describe('generated plans', () => {
  it('have a utilisation that sums to the planned work, by day and by week', () => {
    const random = new SeededRandom(7);
    for (let round = 0; round < 200; round++) {
      const { tasks, calendar: generated, capacity: limits, range } = generatePortfolios(random);
      const once = tasks.others.filter(({ recurrence }) => recurrence === undefined);
      const planned = once.reduce((sum, { workMinutes = 0 }) => sum + workMinutes, 0);
      const work = listWork(once, generated, range);
      const { days, weeks } = measureUtilisation(work, generated, limits);
      expect(days.reduce((sum, { minutes }) => sum + minutes, 0)).toBe(planned);
      expect(weeks.reduce((sum, { minutes }) => sum + minutes, 0)).toBe(planned);
      for (const { start, end } of work) {
        const task = once.find((one) => parseInstant(one.start) <= start && end <= parseInstant(one.end));
        expect(task).toBeDefined();
      }
    }
  });

  it('have shifts after which the shifted work is in no conflict, and nothing else is worse', () => {
    const random = new SeededRandom(11);
    let suggested = 0;
    for (let round = 0; round < 200; round++) {
      const { tasks, calendar: generated, capacity: limits, range } = generatePortfolios(random);
      const own = listWork(tasks.own, generated, range);
      const portfolios = {
        ...{ own, others: listWork(tasks.others, generated, range) },
        ...{ calendar: generated, capacity: limits },
      };
      const before = findPortfolioConflicts(portfolios);
      const shifts = suggestShifts(portfolios, range);
      suggested += shifts.length;
      expect(shifts.length === 0 || before.length > 0).toBe(true);
      const moved = new Map(shifts.map((shift) => [`${shift.task} ${shift.from}`, shift]));
      const shifted = own.map((work): Work => {
        const shift = moved.get(`${work.task} ${formatInstant(work.start)}`);
        return shift ? { ...work, start: parseInstant(shift.to), end: parseInstant(shift.toEnd), isExact: true } : work;
      });
      const after = findPortfolioConflicts({ ...portfolios, own: shifted });
      const targets = new Set(shifts.map(({ to }) => to));
      expect(after.filter((one) => one.kind === 'overlap' && targets.has(one.start))).toEqual([]);
      const days = new Set([...targets].map((to) => generated.getDay(parseInstant(to))));
      expect(after.filter((one) => one.kind === 'day' && days.has(parseDay(one.from)))).toEqual([]);
      expect(after.length).toBeLessThanOrEqual(before.length);
    }
    expect(suggested).toBeGreaterThan(50);
  });
});
