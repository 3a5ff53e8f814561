import { expect, it } from 'vitest';
import { compareThirds, findLeaks } from './find-leaks.js';

const tab = (heap: readonly number[], nodes = 1_000) => ({
  name: 'tab jobs',
  samples: heap.map((one) => ({ heap: one, nodes })),
});

it('compares the medians of the second and the last third, and ignores the first', () => {
  expect(compareThirds('heap', [99, 1, 2, 3, 4, 5, 6, 7, 8, 9])).toEqual({ before: 5, after: 8 });
  expect(compareThirds('heap', [9, 1, 3])).toEqual({ before: 1, after: 3 });
  expect(compareThirds('heap', [0, 0, 1, 2, 5, 6])).toEqual({ before: 1.5, after: 5.5 });
  expect(() => compareThirds('heap', [1, 2])).toThrow('at least 3 samples');
});

it('finds a steady growth, and names the tab and the figure', () => {
  const heap = Array.from({ length: 60 }, (_, minute) => 20 + minute * 0.2);
  expect(findLeaks([tab(heap)])).toMatchObject([{ name: 'tab jobs', figure: 'heap' }]);
});

it('does not count warm-up, a single peak, or growth below the limits', () => {
  expect(findLeaks([tab([5, 10, 20, 20, 20, 20, 20, 90, 20])])).toEqual([]);
  expect(findLeaks([tab([20, 20, 20, 20, 20, 20, 21.9, 21.9, 21.9])])).toEqual([]);
  expect(findLeaks([tab([100, 100, 100, 100, 100, 100, 105, 105, 105])])).toEqual([]);
  expect(findLeaks([tab([100, 100, 100, 100, 100, 100, 105.1, 105.1, 105.1])])).toHaveLength(1);
});

it('compares the maximum of what a pool opens and closes, and finds a steady growth of it', () => {
  expect(compareThirds('sockets', [31, 24, 30, 25, 25, 25, 29, 29, 30])).toEqual({ before: 31, after: 30 });
  const sockets = (values: readonly number[]) => [
    { name: 'orchestrator', samples: values.map((one) => ({ sockets: one })) },
  ];
  expect(findLeaks(sockets([31, 24, 30, 25, 25, 25, 29, 29, 30]))).toEqual([]);
  expect(findLeaks(sockets(Array.from({ length: 60 }, (_, minute) => 24 + (minute % 7) + minute * 0.3)))).toHaveLength(
    1,
  );
});

it('compares only figures that were sampled', () => {
  const samples = [3, 3, 4].map((listening) => ({ listening }));
  expect(findLeaks([{ name: 'orchestrator', samples }])).toEqual([
    { name: 'orchestrator', figure: 'listening', before: 3, after: 4 },
  ]);
});
