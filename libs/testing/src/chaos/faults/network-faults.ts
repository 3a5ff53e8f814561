import { setTimeout as sleep } from 'node:timers/promises';
import { sides, type Line, type Side } from '../fleet/fleet.js';
import { serviceNames } from '../fleet/programs.js';
import type { TcpProxy } from '../fleet/tcp-proxy.js';
import type { Fault, Stage } from './fault.js';

/** A cut that a service can wait out, and one that outlasts the silence after which a process is taken for dead (7 s). */
const CUT_MS = 2_500;
const SWALLOW_MS = 9_000;
/** Each way, for this long. */
const SLOW = { byMs: 60, forMs: 4_000 } as const;

/** The network between one half of the replicas and the database, Redis or the model: cut, slow and half-open. */
export function networkFaults(): readonly Fault[] {
  return (['database', 'redis', 'model'] as const).flatMap((line) => [
    broken(line, 'cut', async (proxy) => {
      proxy.set('cut');
      await sleep(CUT_MS);
      proxy.set('pass');
    }),
    broken(line, 'slow', async (proxy) => {
      proxy.slow(SLOW.byMs);
      await sleep(SLOW.forMs);
      proxy.slow(0);
    }),
    broken(line, 'half-open', async (proxy) => {
      proxy.set('swallow');
      await sleep(SWALLOW_MS);
      proxy.set('pass');
    }),
  ]);
}

function broken(line: Line, how: string, breaking: (proxy: TcpProxy) => Promise<void>): Fault {
  return {
    name: `network to the ${line} ${how}, half of the replicas`,
    hits: serviceNames,
    ...(line === 'redis' ? { backend: 'redis' as const } : {}),
    inject: async ({ fleet, random }: Stage) => {
      const side: Side = sides[Math.floor(random() * sides.length)]!;
      await breaking(fleet.lines.get(`${line}/${side}`)!);
    },
  };
}
