import { expect, it } from 'vitest';
import { matchLines } from './match-lines.js';

const count = (from: number, length: number): number[] => Array.from({ length }, (_, index) => from + index);

it('matches equal lines and reports the others as new', async () => {
  expect([...(await matchLines([1, 2, 3, 4], [1, 9, 3, 4, 5]))]).toEqual([0, -1, 2, 3, -1]);
  expect([...(await matchLines([], [1]))]).toEqual([-1]);
  expect([...(await matchLines([1], []))]).toEqual([]);
});

it('finds the lines that two very different texts have in common, whatever is around them', async () => {
  // 20,000 lines, of which every tenth is kept, and the same with the ends swapped.
  const before = count(0, 20_000);
  const after = before.map((line) => (line % 10 === 0 ? line : line + 1_000_000));
  const matches = await matchLines(before, after);
  expect([...matches].every((match, index) => match === (index % 10 === 0 ? index : -1))).toBe(true);
  const moved = await matchLines(
    [...count(0, 3_000), ...count(10_000, 5_000)],
    [...count(10_000, 5_000), ...count(0, 3_000)],
  );
  expect([...moved].filter((match) => match >= 0)).toEqual(count(3_000, 5_000));
});

it('gives up on a difference of repeated lines that is too large, and claims no line that is not there', async () => {
  const before = count(0, 30_000).map((line) => (line * line) % 7);
  const after = count(0, 30_000).map((line) => (line * line * line) % 5);
  const matches = await matchLines(before, after);
  const matched = [...matches.entries()].filter(([, match]) => match >= 0);
  expect(matched.every(([index, match]) => after[index] === before[match])).toBe(true);
});
