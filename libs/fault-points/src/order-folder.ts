import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { executeAction } from './execute-action.js';
import type { FaultPointName } from './fault-point-names.js';
import { parseOrder, renderOrder, type FaultAction } from './order.js';

/** Record that a process writes immediately before it executes an order. */
export interface FiredFault {
  readonly pid: number;
  /** Time in epoch milliseconds, from the clock of this machine. */
  readonly at: number;
  readonly action: FaultAction;
  /** What the process was working on, such as a stream. */
  readonly subject?: string;
}

/** Path of the file that contains the `Fired` record of a fault point. */
export function getFiredFilePath(folder: string, name: FaultPointName): string {
  return join(folder, `${name}.fired`);
}

/** Orders given as files while the process runs. The first process that reaches the point consumes the order. */
export class OrderFolder {
  constructor(private readonly folder: string) {}

  handleVisit(name: FaultPointName, subject: string | undefined): void {
    const path = join(this.folder, name);
    const claimedPath = `${path}.${process.pid}`;
    try {
      renameSync(path, claimedPath);
    } catch {
      return;
    }
    const { action, nth } = parseOrder(readFileSync(claimedPath, 'utf8'));
    rmSync(claimedPath);
    if (nth > 1) return writeFileAtomically(path, renderOrder({ action, nth: nth - 1 }));
    const fired: FiredFault = {
      pid: process.pid,
      at: Date.now(),
      action,
      ...(subject === undefined ? {} : { subject }),
    };
    writeFileAtomically(getFiredFilePath(this.folder, name), JSON.stringify(fired));
    executeAction(action);
  }
}

function writeFileAtomically(path: string, text: string): void {
  const temporaryPath = `${path}.${process.pid}.tmp`;
  writeFileSync(temporaryPath, text);
  renameSync(temporaryPath, path);
}
