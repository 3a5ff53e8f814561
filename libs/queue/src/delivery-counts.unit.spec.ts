import { expect, it } from 'vitest';
import { DeliveryCounts } from './delivery-counts.js';

const at = (minute: number, seconds = 0): number => (minute * 60 + seconds) * 1_000;

it('counts when messages became due and when they ended, each in its own minute', () => {
  const counts = new DeliveryCounts(['jobs']);
  counts.record({ queue: 'jobs', outcome: 'completed', dueAt: at(100, 59) }, at(101, 1));
  counts.record({ queue: 'jobs', outcome: 'dead-lettered', dueAt: at(101, 1) }, at(101, 2));
  expect(counts.list(at(101, 3))).toEqual([
    { queue: 'jobs', minute: 100, due: 1, done: 0 },
    { queue: 'jobs', minute: 101, due: 1, done: 2 },
  ]);
});

it('counts no delivery after which the message still exists, and none of other queues', () => {
  const counts = new DeliveryCounts(['jobs']);
  for (const outcome of ['postponed', 'retried', 'released', 'lost', 'abandoned'] as const)
    counts.record({ queue: 'jobs', outcome, dueAt: at(100) }, at(100));
  counts.record({ queue: 'tools', outcome: 'completed', dueAt: at(100) }, at(100));
  expect(counts.list(at(100))).toEqual([]);
});

it('forgets minutes that no reader uses, and counts a due time after the end as the end', () => {
  const counts = new DeliveryCounts(['timers']);
  counts.record({ queue: 'timers', outcome: 'completed', dueAt: at(100) }, at(100));
  counts.record({ queue: 'timers', outcome: 'completed', dueAt: at(106) }, at(105));
  expect(counts.list(at(110)).map(({ minute }) => minute)).toEqual([100, 105]);
  expect(counts.list(at(115))).toEqual([{ queue: 'timers', minute: 105, due: 1, done: 1 }]);
  expect(counts.list(at(116))).toEqual([]);
});
