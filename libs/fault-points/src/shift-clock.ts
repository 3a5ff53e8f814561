import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const POLL_INTERVAL_MS = 50;
const RealDate = Date;
let aheadMs = 0;

class ShiftedDate extends RealDate {
  constructor(...args: [] | [number | string | Date]) {
    if (args.length === 0) super(RealDate.now() + aheadMs);
    else super(...(args as [number]));
  }

  static override now(): number {
    return RealDate.now() + aheadMs;
  }
}

/**
 * Shifts the wall clock of this process by `ms` relative to the machine's clock; 0 removes the shift. Timers and `performance.now()`
 * are not affected, as on a machine whose clock is set. Only for specs and chaos runs.
 */
export function shiftClock(ms: number): void {
  aheadMs = ms;
  globalThis.Date = ms === 0 ? RealDate : (ShiftedDate as DateConstructor);
}

/** Path of the file with which a chaos run sets the clock of a process. It contains the shift in milliseconds. */
export function getClockFilePath(folder: string, pid: number): string {
  return join(folder, `clock.${pid}`);
}

/** Starts polling the clock file of this process and applying its shift. */
export function followClockOrders(folder: string): void {
  const file = getClockFilePath(folder, process.pid);
  setInterval(() => {
    const orderedMs = Number(readOr(file, '0'));
    if (Number.isFinite(orderedMs) && orderedMs !== aheadMs) shiftClock(orderedMs);
  }, POLL_INTERVAL_MS).unref();
}

function readOr(file: string, fallback: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return fallback;
  }
}
