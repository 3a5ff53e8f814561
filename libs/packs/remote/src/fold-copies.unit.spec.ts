import { expect, it } from 'vitest';
import { foldCopies } from './fold-copies.js';

const text = 'Records must be kept for ten years from the end of the calendar year in which they were made.';
const fold = (...results: readonly { at: string; text: string }[]) =>
  foldCopies(results, { place: ({ at }) => at, text: (result) => result.text }).map(({ first, copies }) => [
    first.at,
    ...copies.map(({ at }) => at),
  ]);

it('joins copies of one source and keeps the order of the first ones', () => {
  expect(
    fold(
      { at: 'a', text },
      { at: 'b', text: 'A law about something else, with its own words and its own sentences throughout.' },
      { at: 'c', text: `${text.toUpperCase()} Printed copy.` },
      { at: 'b', text: 'Another excerpt.' },
    ),
  ).toEqual([
    ['a', 'c'],
    ['b', 'b'],
  ]);
});

it('keeps texts that only share some words, and short texts that are not equal', () => {
  expect(
    fold(
      { at: 'a', text },
      { at: 'b', text: 'Records must be kept for six years; letters and contracts are kept with them in the archive.' },
      { at: 'c', text: 'Page not found' },
      { at: 'd', text: 'Page not there' },
      { at: 'e', text: '' },
      { at: 'f', text: '' },
    ),
  ).toEqual([['a'], ['b'], ['c'], ['d'], ['e'], ['f']]);
});
