import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLLOW_MS = 50;
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
 * Puts the wall clock of this process so far ahead of the machine's, or behind it with a negative number; 0 sets it right. Timers
 * and `performance.now()` go on as they are, as on a machine whose clock is set. Only for specs and chaos runs.
 */
export function shiftClock(ms: number): void {
  aheadMs = ms;
  globalThis.Date = ms === 0 ? RealDate : (ShiftedDate as DateConstructor);
}

/** The file by which a chaos run sets the clock of a process: it holds the milliseconds by which it is ahead. */
export function clockFile(folder: string, pid: number): string {
  return join(folder, `clock.${pid}`);
}

/** From now on this process keeps its clock as the file says. */
export function followClockOrders(folder: string): void {
  const file = clockFile(folder, process.pid);
  setInterval(() => {
    const ordered = Number(readOr(file, '0'));
    if (Number.isFinite(ordered) && ordered !== aheadMs) shiftClock(ordered);
  }, FOLLOW_MS).unref();
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}
