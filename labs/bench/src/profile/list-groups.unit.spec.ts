import { expect, it } from 'vitest';
import { listGroups } from './list-groups.js';

it('lists groups with rounded times', () => {
  const groups = [
    { name: 'idle', micros: 1_843.6 },
    { name: 'pg', micros: 0.456 },
  ];
  expect(listGroups(groups)).toBe('idle 1,844, pg 0');
  expect(listGroups(groups, 2)).toBe('idle 1,843.60, pg 0.46');
});
