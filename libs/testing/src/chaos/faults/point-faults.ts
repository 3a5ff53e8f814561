import { faultPointNames, type FaultPointName } from '@phaseline/fault-points';
import { serviceNames, type ServiceName } from '../fleet/programs.js';
import { arm, fire, fired } from './await-fired.js';
import type { Fault } from './fault.js';
import { sendOn } from './stopped-process.js';

/** Which services pass a fault point. */
export function servicesAt(name: FaultPointName): readonly ServiceName[] {
  const [part] = name.split('.', 1);
  switch (part) {
    case 'submission':
    case 'orchestrator':
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

/** SIGKILL and SIGSTOP at every fault point. */
export function pointFaults(): readonly Fault[] {
  return faultPointNames.flatMap((name) => [killAt(name), stopAt(name)]);
}

/** The process that gets there next kills itself. */
export function killAt(name: FaultPointName): Fault {
  return {
    name: `SIGKILL at ${name}`,
    hits: servicesNeeded(name),
    inject: async ({ fleet }) => {
      const reached = reach(fleet.orders, name);
      await fire(fleet.orders, name, { kind: 'kill' });
      await reached;
    },
  };
}

/** The process that gets there next stands still until the others have taken its work over, and then goes on with it. */
export function stopAt(name: FaultPointName): Fault {
  return {
    name: `SIGSTOP at ${name}`,
    hits: servicesNeeded(name),
    inject: async ({ fleet, later }) => {
      const reached = reach(fleet.orders, name);
      const { pid } = await fire(fleet.orders, name, { kind: 'stop' });
      later(servicesAt(name), sendOn(pid));
      await reached;
    },
  };
}

/** The reconciler finds something only after somebody was lost. */
async function reach(orders: string, name: FaultPointName): Promise<void> {
  if (name !== 'reconciler.before-send') return;
  await arm(orders, 'worker.during-model-call', { kind: 'kill' });
  await fired(orders, 'worker.during-model-call');
}

function servicesNeeded(name: FaultPointName): readonly ServiceName[] {
  return name === 'reconciler.before-send'
    ? [...servicesAt(name), 'strategic-worker', 'tactical-worker']
    : servicesAt(name);
}
