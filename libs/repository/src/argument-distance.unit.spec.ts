import { describe, expect, it } from 'vitest';
import { computeArgumentDistance } from './argument-distance.js';

describe('the distance of arguments', () => {
  it.each([
    [{}, {}, 0],
    [{ path: 'a.md', lines: [1, 2] }, { lines: [1, 2], path: 'a.md' }, 0],
    [{ path: 'src/one.ts' }, { path: 'src/two.ts' }, 1 / 3],
    // The same words in another order are another text.
    [{ query: 'red car' }, { query: 'car, red' }, 0.01],
    [{ query: 'red car' }, { query: 'green house' }, 1],
    [{ query: '+' }, { query: '-' }, 1],
    [{ page: 9 }, { page: 11 }, 0.1],
    [{ page: -5 }, { page: 5 }, 1],
    [{ page: 1 }, { page: '1' }, 1],
    [{ query: 'x', page: 1 }, { query: 'x' }, 0.5],
    [{ a: { b: ['x', true] } }, { a: { b: ['x', false] } }, 0.5],
    [{ 'a.b': 1 }, { a: { b: 1 } }, 1],
  ])('of %j and %j is %d in both directions', (left, right, distance) => {
    expect(computeArgumentDistance(left, right)).toBeCloseTo(distance, 10);
    expect(computeArgumentDistance(right, left)).toBeCloseTo(distance, 10);
  });
});
