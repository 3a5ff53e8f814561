export { faultPoint, areFaultPointsArmed } from './fault-point.js';
export { faultPointNames } from './fault-point-names.js';
export type { FaultPointName } from './fault-point-names.js';
export { renderOrder } from './order.js';
export type { FaultAction } from './order.js';
export { getFiredFilePath } from './order-folder.js';
export type { FiredFault } from './order-folder.js';
export { getClockFilePath, shiftClock } from './shift-clock.js';
