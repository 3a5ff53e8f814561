import { expect, it } from 'vitest';
import { choosePart, chooseSample, planRunsBefore } from './choose-mutations.js';

const items = Array.from({ length: 50 }, (_, index) => index);

it('chooses distinct items by seed, in order', () => {
  const chosen = chooseSample(items, 8, 1);
  expect(new Set(chosen).size).toBe(8);
  expect(chosen).toEqual(chosen.toSorted((a, b) => a - b));
  expect(chooseSample(items, 8, 1)).toEqual(chosen);
  expect(chooseSample(items, 8, 2)).not.toEqual(chosen);
});

it('chooses all items if there are fewer than requested', () => {
  expect(chooseSample(items, 80, 1)).toEqual(items);
});

it('divides a list into parts that contain each item once, in order', () => {
  for (const parts of [1, 3, 7, 60])
    expect(Array.from({ length: parts }, (_, index) => choosePart(items, index + 1, parts)).flat()).toEqual(items);
  expect(choosePart(items, 1, 3).length).toBeGreaterThan(15);
});

it('runs only the named tests of a file before the mutations, unless a mutation names none', () => {
  const mutations = [
    { specs: ['slow.spec.ts'], test: 'one' },
    { specs: ['a.spec.ts', 'slow.spec.ts'], test: 'two|three' },
    { specs: ['a.spec.ts'] },
  ];
  expect(planRunsBefore(mutations)).toEqual([
    { specs: ['a.spec.ts'], test: undefined },
    { specs: ['a.spec.ts', 'slow.spec.ts'], test: '(?:one)|(?:two|three)' },
  ]);
  expect(planRunsBefore([{ specs: ['a.spec.ts'], test: 'one' }, { specs: ['a.spec.ts'] }])).toEqual([
    { specs: ['a.spec.ts'], test: undefined },
  ]);
});
