import { describe, expect, it } from 'vitest';
import { expandRecurrence, MAX_OCCURRENCES } from './expand-recurrence.js';
import { formatInstant } from './instant.js';

const expand = (rule: string, firstStart: string, zone = 'Europe/Berlin') =>
  expandRecurrence({ rule, firstStart }, zone).map((start) => formatInstant(start).slice(0, 16));

describe('expandRecurrence', () => {
  it('keeps the time on the wall over changes of the clock', () => {
    expect(expand('FREQ=WEEKLY;COUNT=2', '2026-03-23T19:00')).toEqual(['2026-03-23T18:00', '2026-03-30T17:00']);
    expect(expand('RRULE:FREQ=WEEKLY;COUNT=2', '2026-10-30T19:00', 'America/New_York')).toEqual([
      '2026-10-30T23:00',
      '2026-11-07T00:00',
    ]);
    expect(expand('FREQ=DAILY;COUNT=2', '2026-10-03T19:00', 'Australia/Lord_Howe')).toEqual([
      '2026-10-03T08:30',
      '2026-10-04T08:00',
    ]);
  });

  it('leaves out a time that the clock skips, and takes the first of a time that occurs twice', () => {
    expect(expand('FREQ=DAILY;UNTIL=20260330T220000Z', '2026-03-28T02:30')).toEqual([
      '2026-03-28T01:30',
      '2026-03-30T00:30',
    ]);
    expect(expand('FREQ=DAILY;COUNT=2', '2026-10-24T02:30')).toEqual(['2026-10-24T00:30', '2026-10-25T00:30']);
  });

  it('knows leap days and months without a day 31', () => {
    expect(expand('FREQ=YEARLY;COUNT=2', '2028-02-29T12:00', 'UTC')).toEqual(['2028-02-29T12:00', '2032-02-29T12:00']);
    expect(expand('FREQ=MONTHLY;BYMONTHDAY=31;COUNT=2', '2026-01-31T12:00', 'UTC')).toEqual([
      '2026-01-31T12:00',
      '2026-03-31T12:00',
    ]);
  });

  it.each([
    ['FREQ=DAILY', 'recurrence_endless'],
    [`FREQ=DAILY;COUNT=${MAX_OCCURRENCES + 1}`, 'recurrence_too_long'],
    ['FREQ=SOMETIMES;COUNT=2', 'recurrence_invalid'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=2', 'recurrence_invalid'],
    ['FREQ=DAILY;UNTIL=20200101T000000Z', 'recurrence_invalid'],
  ])('refuses %s', (rule, code) => {
    expect(() => expand(rule, '2026-03-23T19:00')).toThrow(expect.objectContaining({ code }));
  });
});
