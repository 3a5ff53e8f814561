export { faultPoint, faultPointsArmed } from './fault-point.js';
export { FAULT_POINTS, faultPointNames } from './fault-point-names.js';
export type { FaultPointName } from './fault-point-names.js';
export { parseOrder, renderOrder } from './order.js';
export type { FaultAction, FaultOrder } from './order.js';
export { firedFile } from './order-folder.js';
export type { Fired } from './order-folder.js';
export { clockFile, shiftClock } from './shift-clock.js';
