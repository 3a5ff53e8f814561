import { faultPointNames, type FaultPointName } from '@phaseline/fault-points';
import { serviceNames, type ServiceName } from '../fleet/programs.js';
import { armFaultPoint, armAndAwait, awaitFired } from './fire-fault-point.js';
import type { Fault } from './fault.js';
import { continueProcess } from './stopped-process.js';

/** Returns the services that pass a fault point. */
export function listServicesAt(name: FaultPointName): readonly ServiceName[] {
  const [part] = name.split('.', 1);
  switch (part) {
    case 'submission':
    case 'orchestrator':
    case 'delegation':
    case 'reconciler':
      return ['orchestrator'];
    case 'worker':
      return ['strategic-worker', 'tactical-worker'];
    case 'tool':
      return ['tool-runner'];
    default:
      return serviceNames;
  }
}

/**
 * Parts whose fault points no job of a chaos run reaches: jobs have no repository, fill no cache and are not moved to cold storage. Specs kill
 * that work: test/repository/killed-work.int.spec.ts, test/system/follow-on-kills.e2e.spec.ts and
 * libs/harness/src/engine/cold-storage-kills.int.spec.ts.
 */
const PARTS_OF_SPECS: readonly string[] = ['repository', 'follow-on', 'cold-storage'];

/** A SIGKILL and a SIGSTOP at every fault point that jobs of a chaos run reach. */
export function listPointFaults(): readonly Fault[] {
  const reached = faultPointNames.filter((name) => !PARTS_OF_SPECS.includes(name.split('.', 1)[0]!));
  return reached.flatMap((name) => [killAt(name), stopAt(name)]);
}

/** The next process that reaches the fault point kills itself. */
export function killAt(name: FaultPointName): Fault {
  return {
    name: `SIGKILL at ${name}`,
    affectedServices: servicesNeeded(name),
    inject: async ({ fleet }) => {
      const provoked = provokeReconciler(fleet.ordersFolder, name);
      await armAndAwait(fleet.ordersFolder, name, { kind: 'kill' });
      await provoked;
    },
  };
}

/** The next process that reaches the fault point is stopped until others have taken over its work, and then continues. */
export function stopAt(name: FaultPointName): Fault {
  return {
    name: `SIGSTOP at ${name}`,
    affectedServices: servicesNeeded(name),
    inject: async ({ fleet, markUnavailable }) => {
      const provoked = provokeReconciler(fleet.ordersFolder, name);
      const { pid } = await armAndAwait(fleet.ordersFolder, name, { kind: 'stop' });
      markUnavailable(listServicesAt(name), continueProcess(pid));
      await provoked;
    },
  };
}

/** Provides work for the reconciler, which passes its fault point only after a process was lost. */
async function provokeReconciler(orders: string, name: FaultPointName): Promise<void> {
  if (name !== 'reconciler.before-send') return;
  await armFaultPoint(orders, 'worker.during-model-call', { kind: 'kill' });
  await awaitFired(orders, 'worker.during-model-call');
}

function servicesNeeded(name: FaultPointName): readonly ServiceName[] {
  return name === 'reconciler.before-send'
    ? [...listServicesAt(name), 'strategic-worker', 'tactical-worker']
    : listServicesAt(name);
}
