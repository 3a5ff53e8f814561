import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { clockFile } from '@phaseline/fault-points';
import { serviceNames, type ServiceName } from '../fleet/programs.js';
import type { Fault, Stage } from './fault.js';

/** Ten minutes: far behind any lock, lease and delay of the system. */
const FAR_MS = 600_000;
/** As long as a process may be silent, so that what it wrote by its clock could be believed by others. */
const WRONG_FOR_MS = 9_000;

/** The clock of one process of each service is set ahead or back, and some seconds later it is right again. */
export function clockFaults(): readonly Fault[] {
  return serviceNames.flatMap((service) => [clockOf(service, FAR_MS), clockOf(service, -FAR_MS)]);
}

export function clockOf(service: ServiceName, aheadMs: number): Fault {
  const where = aheadMs > 0 ? 'ahead' : 'behind';
  return {
    name: `clock of a ${service} ${Math.abs(aheadMs) / 60_000} min ${where}`,
    hits: [service],
    inject: async (stage) => {
      const pid = stage.fleet.pidOf(service, 1 + Math.floor(stage.random() * stage.fleet.options.replicas));
      if (pid === undefined) return;
      await setClock(stage, pid, aheadMs);
      stage.later([service], setRight(stage, pid));
    },
  };
}

async function setClock({ fleet }: Stage, pid: number, aheadMs: number): Promise<void> {
  await writeFile(clockFile(fleet.orders, pid), String(aheadMs));
}

async function setRight({ fleet }: Stage, pid: number): Promise<void> {
  await sleep(WRONG_FOR_MS);
  await rm(clockFile(fleet.orders, pid), { force: true });
}

/**
 * A process whose clock is ahead dies, and so does one whose clock is right: the work of both has to be found by the others, who
 * have other times than the first.
 */
export function deathUnderWrongClock(service: ServiceName, aheadMs: number): Fault {
  return {
    name: `SIGKILL of a ${service} whose clock is ${Math.abs(aheadMs) / 60_000} min ${aheadMs > 0 ? 'ahead' : 'behind'}`,
    hits: [service],
    inject: async (stage) => {
      const replica = 1 + Math.floor(stage.random() * stage.fleet.options.replicas);
      const pid = stage.fleet.pidOf(service, replica);
      if (pid === undefined) return;
      await setClock(stage, pid, aheadMs);
      await sleep(1_500);
      stage.fleet.supervision.kill(`${service}-${replica}`, 'SIGKILL');
      await rm(clockFile(stage.fleet.orders, pid), { force: true });
    },
  };
}
