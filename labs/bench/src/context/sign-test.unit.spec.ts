import { expect, it } from 'vitest';
import { signTest } from './sign-test.js';

it.each([
  [0, 0, 1],
  [3, 3, 1],
  [3, 0, 0.25],
  [5, 1, 0.21875],
  [1, 5, 0.21875],
  [7, 0, 0.015625],
])('returns for %i against %i the probability %f', (one, other, chance) => {
  expect(signTest(one, other)).toBeCloseTo(chance, 10);
});
