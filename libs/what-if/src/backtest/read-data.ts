import type { JsonObject } from '@phaseline/basics';
import { getSchemaVersion, type PhaseEvent } from '@phaseline/domain';
import type { DecodedEvent } from '../log/decoded-event.js';

/** The data of an event of a phase. Those of the current shape are not decoded for a member whose value decoding does not change. */
export function readData(one: Extract<DecodedEvent, { kind: 'phase' }>): JsonObject {
  const { type, schemaVersion, data } = one.recorded;
  // The data of every event is an object.
  return schemaVersion === getSchemaVersion(type as PhaseEvent['type']) ? data : (one.event.data as JsonObject);
}

/** Whether an event admits a call of the system, about which no guard is asked. */
export function isOfSystem(one: Extract<DecodedEvent, { kind: 'phase' }>): boolean {
  const { traits } = readData(one);
  return Array.isArray(traits) && traits.includes('system');
}
