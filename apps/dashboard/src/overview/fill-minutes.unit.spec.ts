import type { QueueMinute } from '@phaseline/client';
import { expect, it } from 'vitest';
import { fillMinutes } from './fill-minutes.js';

const change = (queue: string, minute: number, depth: number): QueueMinute => ({
  ...{ queue, depth, added: 0, removed: 0 },
  minute: new Date(minute * 60_000).toISOString(),
});

it('keeps the depth of a queue until it changes', () => {
  const changes = [
    change('tools', 103, 5),
    change('tools', 90, 2),
    change('tactical', 106, 1),
    change('tools', 105, 0),
  ];
  const series = fillMinutes(changes, 106 * 60_000 + 30_000, 6);
  const times = [101, 102, 103, 104, 105, 106].map((minute) => minute * 60);
  expect(series).toEqual([
    { queue: 'tools', times, values: [2, 2, 5, 5, 0, 0] },
    { queue: 'tactical', times, values: [0, 0, 0, 0, 0, 1] },
  ]);
});

it('has no series for a queue without data', () => {
  expect(fillMinutes([], 0, 10)).toEqual([]);
});
