import { SeededRandom } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import type { CalendarSpec, ClockSpan } from './calendar-spec.js';
import { formatInstant, getWeekday, parseDay, parseInstant } from './instant.js';
import { WorkingCalendar } from './working-calendar.js';

const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];
const always: readonly ClockSpan[] = [{ from: '00:00', to: '24:00' }];
const week = (hours: readonly ClockSpan[]) => Array.from({ length: 7 }, () => hours);
const build = (zone: string, hours: readonly ClockSpan[], more: Partial<CalendarSpec> = {}) =>
  new WorkingCalendar({ zone, hours: week(hours), closedDays: [], openDays: [], ...more });
const open = (calendar: WorkingCalendar, date: string) =>
  calendar.openIntervals(parseDay(date)).map(({ start, end }) => [formatInstant(start), formatInstant(end)]);

/** Reads the wall clock with another implementation of zones than the calendar's. */
function createWallClock(zone: string) {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  return (instant: number) => format.format(instant * 60_000).split(' ') as [date: string, time: string];
}

describe('openIntervals', () => {
  it('has no open time in the hour that the clock skips', () => {
    const calendar = build('Europe/Berlin', [{ from: '01:00', to: '02:30' }]);
    expect(open(calendar, '2026-03-29')).toEqual([['2026-03-29T00:00:00.000Z', '2026-03-29T01:00:00.000Z']]);
    expect(open(build('Europe/Berlin', [{ from: '02:00', to: '03:00' }]), '2026-03-29')).toEqual([]);
  });

  it('has the open time of an hour that the clock shows twice two times', () => {
    expect(open(build('Europe/Berlin', [{ from: '02:00', to: '02:30' }]), '2026-10-25')).toEqual([
      ['2026-10-25T00:00:00.000Z', '2026-10-25T00:30:00.000Z'],
      ['2026-10-25T01:00:00.000Z', '2026-10-25T01:30:00.000Z'],
    ]);
    const long = build('Europe/Berlin', [{ from: '01:00', to: '04:00' }]);
    expect(open(long, '2026-10-25')).toEqual([['2026-10-24T23:00:00.000Z', '2026-10-25T03:00:00.000Z']]);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29', 23 * 60, '2026-10-25', 25 * 60],
    ['America/New_York', '2026-03-08', 23 * 60, '2026-11-01', 25 * 60],
    ['Australia/Lord_Howe', '2026-10-04', 23.5 * 60, '2026-04-05', 24.5 * 60],
  ])('knows the length of days with a change of the clock in %s', (zone, short, shortMinutes, long, longMinutes) => {
    const calendar = build(zone, always);
    const measure = (date: string) => calendar.openIntervals(parseDay(date)).map(({ start, end }) => end - start);
    expect([measure(short), measure(long)]).toEqual([[shortMinutes], [longMinutes]]);
  });

  it('has no time on a date that the zone skipped', () => {
    expect(open(build('Pacific/Apia', always), '2011-12-30')).toEqual([]);
    expect(open(build('Pacific/Apia', always), '2011-12-31')).toEqual([
      ['2011-12-30T10:00:00.000Z', '2011-12-31T10:00:00.000Z'],
    ]);
  });

  it('knows leap days, holidays and extra open days', () => {
    const calendar = new WorkingCalendar({
      zone: 'UTC',
      hours: [...Array.from({ length: 5 }, () => [{ from: '18:00', to: '20:00' }]), [], []],
      closedDays: ['2028-03-01', '2028-03-04'],
      openDays: [{ date: '2028-03-04', hours: [{ from: '10:00', to: '11:00' }] }],
    });
    const dates = ['2028-02-29', '2028-03-01', '2028-03-04', '2028-03-05'];
    expect(dates.map((date) => calendar.openIntervals(parseDay(date)).length)).toEqual([1, 0, 1, 0]);
    expect(getWeekday(parseDay('2028-02-29'))).toBe(2);
    expect(() => parseDay('2027-02-29')).toThrow(RangeError);
  });

  it.each(ZONES)('agrees minute by minute with the wall clock of Intl in %s', (zone) => {
    const random = new SeededRandom(11);
    const readWall = createWallClock(zone);
    const spans = [
      { from: '00:15', to: '02:15' },
      { from: '02:40', to: '03:10' },
      { from: '23:00', to: '24:00' },
    ];
    const calendar = build(zone, spans);
    const changes = ['2026-03-29', '2026-10-25', '2026-03-08', '2026-11-01', '2026-04-05', '2026-10-04', '2028-02-29'];
    for (const date of changes) {
      const start = parseDay(date) * 1440 - 900;
      for (let minute = start; minute < start + 3300; minute += random.between(1, 7)) {
        const [wallDate, time] = readWall(minute);
        const isOpen = spans.some(({ from, to }) => from <= time && time < to);
        expect([formatInstant(minute), calendar.nextOpen(minute) === minute]).toEqual([formatInstant(minute), isOpen]);
        expect(calendar.getDay(minute)).toBe(parseDay(wallDate));
      }
    }
  });

  it('refuses what does not exist', () => {
    expect(() => build('Europe/Nowhere', always)).toThrow(RangeError);
    expect(() => build('UTC', [])).toThrow('some weekday');
    expect(() => build('UTC', [{ from: '22:00', to: '02:00' }])).toThrow('over midnight');
    expect(() => build('UTC', [{ from: '22:00', to: '24:30' }])).toThrow('time of day');
    expect(() => build('UTC', always, { closedDays: ['2026-02-30'] })).toThrow(RangeError);
  });
});

describe('arithmetic in open time', () => {
  it('passes over closed time and changes of the clock', () => {
    const calendar = build('Europe/Berlin', [{ from: '18:00', to: '20:00' }], { closedDays: ['2026-03-29'] });
    const saturday = parseInstant('2026-03-28T18:00:00Z');
    expect(formatInstant(calendar.addWorkingMinutes(saturday, 60))).toBe('2026-03-28T19:00:00.000Z');
    expect(formatInstant(calendar.addWorkingMinutes(saturday, 90))).toBe('2026-03-30T16:30:00.000Z');
    expect(formatInstant(calendar.addElapsed(saturday, 60))).toBe('2026-03-30T16:00:00.000Z');
    expect(calendar.canEndAt(saturday + 60)).toBe(true);
    expect(calendar.canEndAt(saturday + 61)).toBe(false);
    expect(calendar.canEndAt(saturday - 60)).toBe(false);
    expect(calendar.previousClose(saturday + 600)).toBe(saturday + 60);
  });

  it.each(ZONES)('counts as one minute after another does, in both directions, in %s', (zone) => {
    const random = new SeededRandom(5);
    const calendar = build(
      zone,
      [
        { from: '01:30', to: '02:50' },
        { from: '17:00', to: '18:10' },
      ],
      { closedDays: ['2026-03-27'] },
    );
    for (let round = 0; round < 60; round++) {
      const date = parseDay(random.pick(['2026-03-28', '2026-10-24', '2026-11-01', '2026-04-04', '2026-10-03']));
      const from = date * 1440 + random.between(-1440, 1440);
      const minutes = random.between(1, 500);
      const isOpen = (minute: number) => calendar.nextOpen(minute) === minute;
      let end = from;
      for (let rest = minutes; rest > 0; end++) if (isOpen(end)) rest--;
      let start = from;
      for (let rest = minutes; rest > 0;) if (isOpen(--start)) rest--;
      expect(calendar.addWorkingMinutes(from, minutes)).toBe(end);
      expect(calendar.subtractWorkingMinutes(from, minutes)).toBe(start);
      expect(calendar.workingMinutesBetween(start, end)).toBe(2 * minutes);
      expect(calendar.workingMinutesBetween(end, start)).toBe(-2 * minutes);
    }
  });
});
