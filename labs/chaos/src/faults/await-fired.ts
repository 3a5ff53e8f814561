import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { firedFile, renderOrder, type FaultAction, type FaultPointName, type Fired } from '@phaseline/fault-points';
import { NotReached } from './fault.js';

/** After this time without a process reaching it while jobs run, a fault point counts as not reached. */
const REACH_TIMEOUT_MS = 45_000;
const POLL_INTERVAL_MS = 10;

/** Arms a fault point of a running fleet and waits until a process reaches it. Throws NotReached. */
export async function fire(folder: string, name: FaultPointName, action: FaultAction, nth = 1): Promise<Fired> {
  await arm(folder, name, action, nth);
  return fired(folder, name);
}

export async function arm(folder: string, name: FaultPointName, action: FaultAction, nth = 1): Promise<void> {
  await rm(firedFile(folder, name), { force: true });
  // Renamed into place, so that a process never reads half an order.
  const temporary = join(folder, `${name}.order`);
  await writeFile(temporary, renderOrder({ action, nth }));
  await rename(temporary, join(folder, name));
}

/** Waits until a process reaches an armed fault point. Throws NotReached. */
export async function fired(folder: string, name: FaultPointName): Promise<Fired> {
  for (const deadline = Date.now() + REACH_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_INTERVAL_MS)) {
    const text = await readFile(firedFile(folder, name), 'utf8').catch(() => undefined);
    if (text !== undefined) return JSON.parse(text) as Fired;
  }
  await rm(join(folder, name), { force: true });
  throw new NotReached(`no process reached ${name} within ${REACH_TIMEOUT_MS / 1000} s`);
}
