import { setTimeout as sleep } from 'node:timers/promises';
import { SIDES, type Line, type Side } from '../fleet/fleet.js';
import { serviceNames } from '../fleet/programs.js';
import type { TcpProxy } from '../fleet/tcp-proxy.js';
import type { Fault, FaultContext } from './fault.js';

/** A cut ends before callers give up; `swallow` lasts longer than the silence after which a process counts as dead (7 s). */
const CUT_MS = 2_500;
const SWALLOW_MS = 9_000;
/** Added delay in each direction, and its duration. */
const SLOW = { byMs: 60, forMs: 4_000 } as const;

/** Network faults between one half of the replicas and the database, Redis or the model: cut, slow and half-open. */
export function listNetworkFaults(): readonly Fault[] {
  return (['database', 'redis', 'model'] as const).flatMap((line) => [
    breakLine(line, 'cut', async (proxy) => {
      proxy.setMode('cut');
      await sleep(CUT_MS);
      proxy.setMode('pass');
    }),
    breakLine(line, 'slow', async (proxy) => {
      proxy.setDelay(SLOW.byMs);
      await sleep(SLOW.forMs);
      proxy.setDelay(0);
    }),
    breakLine(line, 'half-open', async (proxy) => {
      proxy.setMode('swallow');
      await sleep(SWALLOW_MS);
      proxy.setMode('pass');
    }),
  ]);
}

function breakLine(line: Line, how: string, inject: (proxy: TcpProxy) => Promise<void>): Fault {
  return {
    name: `network to the ${line} ${how}, half of the replicas`,
    affectedServices: serviceNames,
    ...(line === 'redis' ? { backend: 'redis' as const } : {}),
    inject: async ({ fleet, random }: FaultContext) => {
      const side: Side = SIDES[Math.floor(random() * SIDES.length)]!;
      await inject(fleet.proxies.get(`${line}/${side}`)!);
    },
  };
}
