import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { firedFile, renderOrder, type FaultAction, type FaultPointName, type Fired } from '@phaseline/fault-points';
import { NotReached } from './fault.js';

/** A fault point that no process comes to for this long, with jobs under way, is not on their path. */
const PATIENCE_MS = 45_000;
const LOOK_MS = 10;

/** Arms a fault point of a running fleet, and waits until a process has got there. Throws NotReached. */
export async function fire(folder: string, name: FaultPointName, action: FaultAction, nth = 1): Promise<Fired> {
  await arm(folder, name, action, nth);
  return fired(folder, name);
}

export async function arm(folder: string, name: FaultPointName, action: FaultAction, nth = 1): Promise<void> {
  await rm(firedFile(folder, name), { force: true });
  // Whoever takes it away finds it whole.
  const draft = join(folder, `${name}.order`);
  await writeFile(draft, renderOrder({ action, nth }));
  await rename(draft, join(folder, name));
}

/** Waits until a process has got to an armed fault point. Throws NotReached. */
export async function fired(folder: string, name: FaultPointName): Promise<Fired> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(LOOK_MS)) {
    const text = await readFile(firedFile(folder, name), 'utf8').catch(() => undefined);
    if (text !== undefined) return JSON.parse(text) as Fired;
  }
  await rm(join(folder, name), { force: true });
  throw new NotReached(`no process got to ${name} within ${PATIENCE_MS / 1000} s`);
}
