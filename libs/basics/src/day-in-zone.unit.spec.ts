import { describe, expect, it } from 'vitest';
import { getDayInZone, isTimeZone } from './day-in-zone.js';

describe('getDayInZone', () => {
  it.each([
    ['2026-11-28T23:30:00Z', 'Europe/Berlin', '2026-11-29'],
    ['2026-11-28T00:30:00Z', 'America/New_York', '2026-11-27'],
    ['2024-02-29T12:00:00Z', 'UTC', '2024-02-29'],
    // Midnight does not exist on this day: clocks go from 23:59 to 01:00.
    ['2018-11-04T03:00:00Z', 'America/Sao_Paulo', '2018-11-04'],
  ])('of %s in %s is %s', (time, zone, day) => expect(getDayInZone(new Date(time), zone)).toBe(day));

  it('throws for a zone that does not exist', () => {
    expect(() => getDayInZone(new Date(), 'Mars/Olympus')).toThrow(RangeError);
    expect([isTimeZone('Mars/Olympus'), isTimeZone('Asia/Kolkata')]).toEqual([false, true]);
  });
});
