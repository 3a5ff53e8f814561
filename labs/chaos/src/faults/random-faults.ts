import { serviceNames, type ServiceName } from '../fleet/programs.js';
import type { Fault } from './fault.js';
import { continueProcess, sendSignal } from './stopped-process.js';

/** A SIGKILL and a SIGSTOP of each service at an arbitrary moment. */
export function listRandomFaults(): readonly Fault[] {
  return serviceNames.flatMap((service) => [killAnywhere(service), stopAnywhere(service)]);
}

function killAnywhere(service: ServiceName): Fault {
  return {
    name: `SIGKILL of ${service}, anywhere`,
    affectedServices: [service],
    inject: async ({ fleet, random }) => {
      const replica = 1 + Math.floor(random() * fleet.options.replicas);
      fleet.supervision.kill(`${service}-${replica}`, 'SIGKILL');
    },
  };
}

function stopAnywhere(service: ServiceName): Fault {
  return {
    name: `SIGSTOP of ${service}, anywhere`,
    affectedServices: [service],
    inject: async ({ fleet, random, markUnavailable }) => {
      const pid = fleet.findPid(service, 1 + Math.floor(random() * fleet.options.replicas));
      if (pid === undefined) return;
      sendSignal(pid, 'SIGSTOP');
      markUnavailable([service], continueProcess(pid));
    },
  };
}
