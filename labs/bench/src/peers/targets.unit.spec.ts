import { expect, it } from 'vitest';
import type { PeerRow, SystemName } from './measured-system.js';
import { judgeTargets, medianRatio, type PeerFigures } from './targets.js';

function createRow(system: SystemName, rates: readonly number[], jobs = 1): PeerRow {
  const rounds = rates.map((rate) => ({
    completedJobs: jobs,
    steps: 10,
    seconds: 1,
    stepsPerSecond: rate,
    p50Ms: 1_000 / rate,
  }));
  return { system, jobs, stepsPerJob: 10, stepsPerSecond: rates[0]!, p50Ms: 1_000 / rates[0]!, rounds };
}

const rate = { perSecond: 1, p50: 1, p99: 1 };
const figures: PeerFigures = {
  rows: [
    createRow('floor', [1_000]),
    createRow('inline-postgres', [300]),
    createRow('remote-postgres', [50]),
    createRow('dbos', [50]),
  ],
  appends: {
    rows: [
      { writers: 1, append: rate, plain: rate, ratio: 0.7 },
      { writers: 32, append: rate, plain: rate, ratio: 0.89 },
    ],
    readPerSecond: 1,
    durable: true,
  },
  fold: { events: 1, pages: { perSecond: 1, nodeMicros: 1 }, state: { perSecond: 300_001, nodeMicros: 1 } },
  services: [
    { name: 'orchestrator', startMs: 1_400, rssMiB: 90 },
    { name: 'tool-runner', startMs: 1_600, rssMiB: 80 },
  ],
  idle: [{ backend: 'postgres', seconds: 60, commitsPerSecond: 5, applications: [] }],
};

const judged = (some: PeerFigures) => new Map(judgeTargets(some).map(({ what, isMet }) => [what, isMet]));

it('a ratio is that of the same round, so that a slow moment of the machine does not decide', () => {
  const rows = [createRow('floor', [1_000, 100, 1_000]), createRow('inline-redis', [500, 50, 500])];
  expect(medianRatio(rows, 'inline-redis', 'floor', 1, 'stepsPerSecond')).toBe(0.5);
});

it('a limit itself is met, except where more is needed', () => {
  const targets = judged(figures);
  expect(targets.get('inline tools, PostgreSQL: p50 with 1 job, relative to the floor')).toBe(true);
  expect(targets.get('appends of 1 writer, relative to plain inserts')).toBe(true);
  expect(targets.get('appends of 32 writers, relative to plain inserts')).toBe(false);
  expect(targets.get('remote tools, PostgreSQL: rate with 1 job, relative to DBOS')).toBe(false);
  expect(targets.get('commits per second of an idle stack, PostgreSQL')).toBe(true);
});

it('one slow service misses the target of all', () => {
  const targets = judged(figures);
  expect(targets.get('slowest service ready, ms')).toBe(false);
  expect(targets.get('memory of the largest service, MiB')).toBe(true);
});

it('a target of a system that was not measured is neither met nor missed', () => {
  const redis = judgeTargets(figures).filter(({ what }) => what.includes('Redis'));
  expect(redis).toHaveLength(5);
  expect(redis.every(({ isMet, measured }) => isMet === undefined && measured === undefined)).toBe(true);
});
