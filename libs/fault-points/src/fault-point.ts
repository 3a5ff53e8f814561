import type { FaultPointName } from './fault-point-names.js';
import { OrderFolder } from './order-folder.js';
import { OrderList } from './order-list.js';
import { followClockOrders } from './shift-clock.js';

const orders = parseOrders(process.env.PHASELINE_FAULT_POINTS?.trim());

/** Whether fault points are armed in this process, that is, whether it was started for a chaos run. */
export const areFaultPointsArmed = orders !== undefined;

/**
 * Marks a place at which a chaos run may kill, stop or block this process. In other runs it costs one comparison, so do not build a string
 * for `subject` (the stream being processed).
 */
export function faultPoint(name: FaultPointName, subject?: string): void {
  if (orders !== undefined) orders.handleVisit(name, subject);
}

function parseOrders(text: string | undefined): OrderList | OrderFolder | undefined {
  if (!text) return undefined;
  if (!text.startsWith('@')) return new OrderList(text);
  const folder = text.slice(1);
  followClockOrders(folder);
  return new OrderFolder(folder);
}
