import { clockFaults, clockOf, deathUnderWrongClock } from './faults/clock-faults.js';
import type { Fault } from './faults/fault.js';
import { networkFaults } from './faults/network-faults.js';
import { killAt, pointFaults, stopAt } from './faults/point-faults.js';
import { randomFaults } from './faults/random-faults.js';
import { serverFaults } from './faults/server-faults.js';
import type { QueueBackend } from './fleet/fleet.js';
import { serviceNames } from './fleet/programs.js';
import { randomFrom } from './random-from.js';

/** How far clocks are set, in milliseconds. */
const FAR_MS = 600_000;

/** How often each kind comes in a full run. */
const TIMES = { points: 1, random: 2, servers: 2, network: 1, clocks: 1 } as const;

/** Everything that can be broken on a backend, in an order that the seed decides: what is broken together differs from run to run. */
export function fullList(backend: QueueBackend, seed: number): readonly Fault[] {
  const list = [
    ...repeat(pointFaults(), TIMES.points),
    ...repeat(randomFaults(), TIMES.random),
    ...repeat(serverFaults, TIMES.servers),
    ...repeat(networkFaults(), TIMES.network),
    ...repeat(clockFaults(), TIMES.clocks),
    ...repeat(deathsUnderWrongClocks(), TIMES.clocks),
  ];
  return shuffled(
    list.filter((fault) => fault.backend === undefined || fault.backend === backend),
    randomFrom(seed),
  );
}

/** One of each sort, for a test that has to be short. */
export function shortList(backend: QueueBackend): readonly Fault[] {
  const server = serverFaults.find(
    ({ name }) =>
      name === (backend === 'redis' ? 'Redis emptied (FLUSHALL)' : 'PostgreSQL crashed (immediate) and started'),
  )!;
  return [
    killAt('worker.during-model-call'),
    stopAt('tool.before-effect'),
    killAt('orchestrator.before-dispatch'),
    // While its clock is ahead another process dies: nobody may take that for the future.
    clockOf('tactical-worker', FAR_MS),
    server,
    killAt('tool.after-effect'),
    clockOf('tool-runner', -FAR_MS),
    deathUnderWrongClock('strategic-worker', FAR_MS),
  ];
}

function deathsUnderWrongClocks(): readonly Fault[] {
  return serviceNames.flatMap((service) => [FAR_MS, -FAR_MS].map((aheadMs) => deathUnderWrongClock(service, aheadMs)));
}

function repeat(list: readonly Fault[], times: number): Fault[] {
  return Array.from({ length: times }, () => list).flat();
}

function shuffled<Item>(list: readonly Item[], random: () => number): Item[] {
  const left = [...list];
  const result: Item[] = [];
  while (left.length > 0) result.push(...left.splice(Math.floor(random() * left.length), 1));
  return result;
}
