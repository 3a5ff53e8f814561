import { listClockFaults, skewClock, killWithSkewedClock } from './faults/clock-faults.js';
import type { Fault } from './faults/fault.js';
import { listNetworkFaults } from './faults/network-faults.js';
import { killAt, listPointFaults, stopAt } from './faults/point-faults.js';
import { outageWhileWaiting } from './faults/outage-while-waiting.js';
import { listRandomFaults } from './faults/random-faults.js';
import { serverFaults } from './faults/server-faults.js';
import type { QueueBackend } from './fleet/fleet.js';
import { serviceNames } from './fleet/programs.js';
import { randomFrom } from '@phaseline/harness';

/** Clock skew in milliseconds. */
const CLOCK_SKEW_MS = 600_000;

/** How often a full run repeats each group of faults. */
const REPEATS = { points: 1, random: 2, servers: 2, network: 1, clocks: 1 } as const;

/** Returns every fault of a backend, shuffled by the seed so that faults overlap differently from run to run. */
export function buildFullFaultList(backend: QueueBackend, seed: number): readonly Fault[] {
  const list = [
    ...repeat(listPointFaults(), REPEATS.points),
    ...repeat(listRandomFaults(), REPEATS.random),
    ...repeat(serverFaults, REPEATS.servers),
    ...repeat([outageWhileWaiting], REPEATS.servers),
    ...repeat(listNetworkFaults(), REPEATS.network),
    ...repeat(listClockFaults(), REPEATS.clocks),
    ...repeat(killsWithSkewedClocks(), REPEATS.clocks),
  ];
  return shuffled(
    list.filter((fault) => fault.backend === undefined || fault.backend === backend),
    randomFrom(seed),
  );
}

/** Returns one fault per group, for short tests. */
export function buildShortFaultList(backend: QueueBackend): readonly Fault[] {
  const server = serverFaults.find(
    ({ name }) =>
      name === (backend === 'redis' ? 'Redis emptied (FLUSHALL)' : 'PostgreSQL crashed (immediate) and started'),
  )!;
  return [
    killAt('worker.during-model-call'),
    stopAt('tool.before-effect'),
    killAt('orchestrator.before-dispatch'),
    // Another process dies while this clock is ahead: the others must not be misled by its timestamps.
    skewClock('tactical-worker', CLOCK_SKEW_MS),
    server,
    outageWhileWaiting,
    killAt('tool.after-effect'),
    killAt('tool.during-command'),
    killAt('tool.during-verifier'),
    killAt('worker.claim-raised'),
    skewClock('tool-runner', -CLOCK_SKEW_MS),
    killWithSkewedClock('strategic-worker', CLOCK_SKEW_MS),
  ];
}

function killsWithSkewedClocks(): readonly Fault[] {
  return serviceNames.flatMap((service) =>
    [CLOCK_SKEW_MS, -CLOCK_SKEW_MS].map((aheadMs) => killWithSkewedClock(service, aheadMs)),
  );
}

function repeat(list: readonly Fault[], times: number): Fault[] {
  return Array.from({ length: times }, () => list).flat();
}

function shuffled<Item>(list: readonly Item[], random: () => number): Item[] {
  const remaining = [...list];
  const result: Item[] = [];
  while (remaining.length > 0) result.push(...remaining.splice(Math.floor(random() * remaining.length), 1));
  return result;
}
