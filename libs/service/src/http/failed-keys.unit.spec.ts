import { expect, it } from 'vitest';
import { FailedKeys } from './failed-keys.js';

it('refuses the 21st wrong key of an address within a minute, and no other address', () => {
  const clock = { now: 0 };
  const failures = new FailedKeys(() => clock.now);
  const answers = Array.from({ length: 21 }, () => failures.add('10.0.0.1'));
  expect(answers.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => undefined));
  expect(answers[20]).toBe(60);
  expect(failures.add('10.0.0.2')).toBeUndefined();
  clock.now = 60_000;
  expect(failures.add('10.0.0.1')).toBeUndefined();
});
