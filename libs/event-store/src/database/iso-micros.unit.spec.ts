import { expect, it } from 'vitest';
import { toIsoMicros } from './iso-micros.js';

it.each([
  ['2026-01-02 03:04:05.123456+00', '2026-01-02T03:04:05.123456Z'],
  ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000000Z'],
  ['2026-01-02 03:04:05.1+00', '2026-01-02T03:04:05.100000Z'],
  ['2026-01-01 00:30:00.000001+01', '2025-12-31T23:30:00.000001Z'],
  ['2026-01-01 00:30:00.5-03:30', '2026-01-01T04:00:00.500000Z'],
])('converts %s to %s', (text, iso) => {
  expect(toIsoMicros(text)).toBe(iso);
});

it('throws for text that is not a timestamp', () => {
  expect(() => toIsoMicros('01/02/2026 03:04:05')).toThrow('not a PostgreSQL timestamp');
});
