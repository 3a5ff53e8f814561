import { expect, it } from 'vitest';
import { toLogTime } from './log-time.js';

it.each([
  ['of the log', '2030-01-02T03:04:05.000006Z', '2030-01-02T03:04:05.000006Z'],
  ['of PostgreSQL', '2030-01-02 03:04:05.12+00', '2030-01-02T03:04:05.120000Z'],
  ['of PostgreSQL without a fraction', '2030-01-02 03:04:05+00', '2030-01-02T03:04:05.000000Z'],
])('a time %s has the format of the log, so that a rebuilt row equals the one before', (_, time, expected) => {
  expect(toLogTime(time)).toBe(expected);
});
