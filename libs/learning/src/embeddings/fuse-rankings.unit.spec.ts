import { expect, it } from 'vitest';
import { fuseRankings } from './fuse-rankings.js';

it('what both rankings have comes before what one of them has, and an empty ranking changes nothing', () => {
  expect(
    fuseRankings([
      ['a', 'b', 'c'],
      ['d', 'c'],
    ]),
  ).toEqual(['c', 'a', 'd', 'b']);
  expect(fuseRankings([['b', 'a'], []])).toEqual(['b', 'a']);
});
