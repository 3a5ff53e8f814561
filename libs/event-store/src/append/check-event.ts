import { isSealedCorrelation } from '../sealed/sealed-correlation.js';
import type { JsonObject } from '@phaseline/basics';
import { UnreadableAppend } from './append-errors.js';
import type { NewEvent, StreamAppend } from './append-types.js';

/** An event as its reader will find it, apart from what the database adds. */
export interface CheckedEvent {
  readonly streamId: string;
  readonly correlationId: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: JsonObject;
}

/** Throws when an event could not be read back. The store knows no schemas; whoever opens it does. */
export type CheckEvent = (event: CheckedEvent) => void;

/** Checks what the JSON text of an event's data parses to: NaN, dates and undefined members are no longer there. Throws UnreadableAppend. */
export function checkJson(
  check: CheckEvent,
  { streamId, correlationId }: StreamAppend,
  event: NewEvent,
  json: string,
): void {
  const { type, schemaVersion } = event;
  try {
    check({ streamId, correlationId, type, schemaVersion, data: JSON.parse(json) as JsonObject });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UnreadableAppend(streamId, type, isSealedCorrelation(correlationId) ? undefined : problem);
  }
}
