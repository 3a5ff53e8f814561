import { expect, it } from 'vitest';
import { fuseRankings } from './fuse-rankings.js';

it('what both rankings have comes before what one of them has, and an empty ranking changes nothing', () => {
  expect(fuseRankings(['a', 'b', 'c'], ['d', 'c'])).toEqual(['c', 'a', 'b', 'd']);
  expect(fuseRankings(['b', 'a'], [])).toEqual(['b', 'a']);
  expect(fuseRankings([], ['b', 'a'])).toEqual(['b', 'a']);
});

it('the first places of both rankings come before what is in the middle of both', () => {
  const middle = Array.from({ length: 40 }, (_, index) => `m${index}`);
  const fused = fuseRankings(['w1', 'w2', 'w3', 'w4', ...middle], ['s1', 's2', 's3', ...middle.toReversed()]);
  expect(fused.slice(0, 5)).toEqual(['w1', 'w2', 's1', 'w3', 's2']);
});
