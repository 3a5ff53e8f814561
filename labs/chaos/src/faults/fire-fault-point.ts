import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  getFiredFilePath,
  renderOrder,
  type FaultAction,
  type FaultPointName,
  type FiredFault,
} from '@phaseline/fault-points';
import { FaultPointNotReached } from './fault-point-not-reached.js';

/** Time after which a fault point counts as not reached, if jobs run and no process has reached it. */
const REACH_TIMEOUT_MS = 45_000;
const POLL_INTERVAL_MS = 10;

/** Arms a fault point of a running fleet and waits until a process reaches it. Throws FaultPointNotReached. */
export async function armAndAwait(folder: string, name: FaultPointName, action: FaultAction): Promise<FiredFault> {
  await armFaultPoint(folder, name, action);
  return awaitFired(folder, name);
}

export async function armFaultPoint(folder: string, name: FaultPointName, action: FaultAction, nth = 1): Promise<void> {
  await rm(getFiredFilePath(folder, name), { force: true });
  // Written under another name and then renamed, so that no process reads half an order.
  const temporary = join(folder, `${name}.order`);
  await writeFile(temporary, renderOrder({ action, nth }));
  await rename(temporary, join(folder, name));
}

/** Waits until a process reaches an armed fault point. Throws FaultPointNotReached. */
export async function awaitFired(folder: string, name: FaultPointName): Promise<FiredFault> {
  for (const deadline = Date.now() + REACH_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_INTERVAL_MS)) {
    const text = await readFile(getFiredFilePath(folder, name), 'utf8').catch(() => undefined);
    if (text !== undefined) return JSON.parse(text) as FiredFault;
  }
  await rm(join(folder, name), { force: true });
  throw new FaultPointNotReached(`no process reached ${name} within ${REACH_TIMEOUT_MS / 1000} s`);
}
