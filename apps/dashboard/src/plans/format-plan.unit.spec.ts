import { describe, expect, it } from 'vitest';
import { describeRecurrence, formatPeriod, formatWork } from './format-plan.js';

describe('a plan in words', () => {
  it.each([
    [45, '45 min'],
    [120, '2 h'],
    [750, '12 h 30 min'],
    [3000, '50 h'],
  ])('%s minutes of work are %s', (minutes, text) => {
    expect(formatWork(minutes)).toBe(text);
  });

  it.each([
    ['FREQ=DAILY', 'every day'],
    ['FREQ=WEEKLY;BYDAY=TU;COUNT=12', 'every week on Tue, 12 times'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR', 'every 2 weeks on Mon, Wed and Fri'],
    ['FREQ=MONTHLY;UNTIL=20270630T215959Z', 'every month, until 2027-06-30'],
    ['FREQ=MONTHLY;BYDAY=1MO', 'FREQ=MONTHLY;BYDAY=1MO'],
    ['FREQ=MONTHLY;BYMONTHDAY=1', 'FREQ=MONTHLY;BYMONTHDAY=1'],
    ['nonsense', 'nonsense'],
  ])('%s is %s', (rule, text) => {
    expect(describeRecurrence(rule)).toBe(text);
  });

  it('periods are those of the wall of their zone, over changes of the clock', () => {
    const [start, end] = ['2027-01-04T08:00:00Z', '2027-01-04T09:30:00Z'];
    expect(formatPeriod(start, end, 'Europe/Berlin')).toBe('Mon 4 Jan 2027, 09:00 – 10:30');
    expect(formatPeriod('2027-07-05T07:00:00Z', '2027-07-05T08:00:00Z', 'Europe/Berlin')).toBe(
      'Mon 5 Jul 2027, 09:00 – 10:00',
    );
    expect(formatPeriod(start, '2027-01-05T12:00:00Z', 'UTC')).toBe('Mon 4 Jan 2027, 08:00 – Tue 5 Jan 2027, 12:00');
    expect(formatPeriod('2027-01-04T00:00:00Z', '2027-01-04T01:00:00Z', 'Nowhere/Atlantis')).toBe(
      'Mon 4 Jan 2027, 00:00 – 01:00',
    );
  });
});
