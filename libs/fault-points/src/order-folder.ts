import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { carryOut } from './carry-out.js';
import type { FaultPointName } from './fault-point-names.js';
import { parseOrder, renderOrder, type FaultAction } from './order.js';

/** What a process leaves behind right before it carries out an order. */
export interface Fired {
  readonly pid: number;
  /** Milliseconds since 1970, by the clock of this machine. */
  readonly at: number;
  readonly action: FaultAction;
  /** What it was working on, such as a stream. */
  readonly subject?: string;
}

/** Where `Fired` is found. */
export function firedFile(folder: string, name: FaultPointName): string {
  return join(folder, `${name}.fired`);
}

/** Orders that come while the process runs, as files. Of several processes at a point, the first takes the order away. */
export class OrderFolder {
  constructor(private readonly folder: string) {}

  reached(name: FaultPointName, subject: string | undefined): void {
    const path = join(this.folder, name);
    const mine = `${path}.${process.pid}`;
    try {
      renameSync(path, mine);
    } catch {
      return;
    }
    const { action, nth } = parseOrder(readFileSync(mine, 'utf8'));
    rmSync(mine);
    if (nth > 1) return putFile(path, renderOrder({ action, nth: nth - 1 }));
    const fired: Fired = {
      pid: process.pid,
      at: Date.now(),
      action,
      ...(subject === undefined ? {} : { subject }),
    };
    putFile(firedFile(this.folder, name), JSON.stringify(fired));
    carryOut(action);
  }
}

/** Whoever looks sees the whole file or none. */
function putFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}
