import { expect, it } from 'vitest';
import { AddressLimit } from './address-limit.js';

it('refuses the 21st use of an address within a minute, and no other address', () => {
  const clock = { now: 0 };
  const limit = new AddressLimit(20, () => clock.now);
  const answers = Array.from({ length: 21 }, () => limit.add('10.0.0.1'));
  expect(answers.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => undefined));
  expect(answers[20]).toBe(60);
  expect(limit.add('10.0.0.2')).toBeUndefined();
  clock.now = 60_000;
  expect(limit.add('10.0.0.1')).toBeUndefined();
});
