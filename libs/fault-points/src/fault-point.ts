import type { FaultPointName } from './fault-point-names.js';
import { OrderFolder } from './order-folder.js';
import { OrderList } from './order-list.js';
import { followClockOrders } from './shift-clock.js';

const orders = read(process.env.PHASELINE_FAULT_POINTS?.trim());

/** Whether this process was started for a chaos run. */
export const faultPointsArmed = orders !== undefined;

/**
 * A place at which a chaos run may kill, stop or block this process. Otherwise it does nothing, for the price of a comparison:
 * give `subject` (what is worked on) as it is, and build no string for it.
 */
export function faultPoint(name: FaultPointName, subject?: string): void {
  if (orders !== undefined) orders.reached(name, subject);
}

function read(text: string | undefined): OrderList | OrderFolder | undefined {
  if (!text) return undefined;
  if (!text.startsWith('@')) return new OrderList(text);
  const folder = text.slice(1);
  followClockOrders(folder);
  return new OrderFolder(folder);
}
