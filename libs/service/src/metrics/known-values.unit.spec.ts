import { expect, it } from 'vitest';
import { KnownValues } from './known-values.js';

it('a thousand values make as many series as the label may have, and one for all others', () => {
  const values = new KnownValues(3);
  const bounded = Array.from({ length: 1_000 }, (_, index) => values.bound(`m${index}`));
  expect([...new Set(bounded)]).toEqual(['m0', 'm1', 'm2', '(other)']);
  expect(values.bound('m1')).toBe('m1');
});
