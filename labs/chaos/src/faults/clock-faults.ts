import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { getClockFilePath } from '@phaseline/fault-points';
import { serviceNames, type ServiceName } from '../fleet/programs.js';
import type { Fault, FaultContext } from './fault.js';

/** Ten minutes: longer than any lock, lease or delay of the system. */
const CLOCK_SKEW_MS = 600_000;
/** Longer than a process may be silent (7 s), so that a timestamp from its wrong clock could decide whether it counts as alive. */
const SKEWED_FOR_MS = 9_000;

/** For each service: the clock of one process is set ahead or back for some seconds. */
export function listClockFaults(): readonly Fault[] {
  return serviceNames.flatMap((service) => [skewClock(service, CLOCK_SKEW_MS), skewClock(service, -CLOCK_SKEW_MS)]);
}

export function skewClock(service: ServiceName, aheadMs: number): Fault {
  const direction = aheadMs > 0 ? 'ahead' : 'behind';
  return {
    name: `clock of ${service} ${Math.abs(aheadMs) / 60_000} min ${direction}`,
    affectedServices: [service],
    inject: async (stage) => {
      const pid = stage.fleet.findPid(service, 1 + Math.floor(stage.random() * stage.fleet.options.replicas));
      if (pid === undefined) return;
      await setClock(stage, pid, aheadMs);
      stage.markUnavailable([service], resetClock(stage, pid));
    },
  };
}

async function setClock({ fleet }: FaultContext, pid: number, aheadMs: number): Promise<void> {
  await writeFile(getClockFilePath(fleet.ordersFolder, pid), String(aheadMs));
}

async function resetClock({ fleet }: FaultContext, pid: number): Promise<void> {
  await sleep(SKEWED_FOR_MS);
  await rm(getClockFilePath(fleet.ordersFolder, pid), { force: true });
}

/**
 * Kills a process whose clock is wrong. The others must find its work although its timestamps disagree with their clocks.
 */
export function killWithSkewedClock(service: ServiceName, aheadMs: number): Fault {
  return {
    name: `SIGKILL of ${service} whose clock is ${Math.abs(aheadMs) / 60_000} min ${aheadMs > 0 ? 'ahead' : 'behind'}`,
    affectedServices: [service],
    inject: async (stage) => {
      const replica = 1 + Math.floor(stage.random() * stage.fleet.options.replicas);
      const pid = stage.fleet.findPid(service, replica);
      if (pid === undefined) return;
      await setClock(stage, pid, aheadMs);
      await sleep(1_500);
      stage.fleet.supervision.kill(`${service}-${replica}`, 'SIGKILL');
      await rm(getClockFilePath(stage.fleet.ordersFolder, pid), { force: true });
    },
  };
}
