import { expect, it } from 'vitest';
import { renderSamples } from './render-samples.js';
import type { Sample } from './sampler.js';

const createSample = (index: number): Sample => ({
  seconds: index * 10,
  progress: index * 1_000,
  rssMiB: { server: 100 + index },
  tablesMiB: { events: 5 * index, streams: index, jobs: 3, blobs: 2, tiny: 1 },
  commits: index * 50,
});

it('renders at most 12 rows with both ends, the largest tables, and the rate of commits between rows', () => {
  const lines = renderSamples(Array.from({ length: 100 }, (_, index) => createSample(index))).split('\n');
  expect(lines).toHaveLength(2 + 12);
  const cells = (line: string): string[] => line.split('|').map((cell) => cell.trim());
  expect(cells(lines[0]!).filter(Boolean)).toEqual([
    'seconds',
    'progress',
    'server MiB',
    'table events MiB',
    'table streams MiB',
    'table jobs MiB',
    'table blobs MiB',
    'commits/s',
  ]);
  expect(cells(lines[2]!).filter(Boolean)).toEqual(['0', '0', '100', '0', '0', '3', '2', '-']);
  expect(cells(lines[13]!).filter(Boolean)).toEqual(['990', '99,000', '199', '495', '99', '3', '2', '5']);
});

it('marks what a sample does not have', () => {
  const [first, second] = [createSample(1), { ...createSample(2), rssMiB: {} }];
  expect(renderSamples([first, second]).split('\n').at(-1)).toMatch(/^\| 20 +\| +2,000 \| +- \|/);
});
