import { isEncryptedCorrelation } from '../encryption/encrypted-correlation.js';
import type { JsonObject } from '@phaseline/basics';
import type { JobId, StreamId } from '@phaseline/contracts';
import { UnreadableAppend } from './append-errors.js';
import type { NewEvent, StreamAppend } from './append-types.js';

/** An event as a reader will receive it, without the columns that the database adds. */
interface CheckedEvent {
  readonly streamId: StreamId;
  readonly correlationId: JobId;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: JsonObject;
}

/** Throws if an event could not be read back. The store has no schemas; its owner provides this check. */
export type CheckEvent = (event: CheckedEvent) => void;

/**
 * Checks an event with its data parsed from JSON text, because NaN, dates and undefined members do not survive JSON.
 * Throws UnreadableAppend.
 */
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
    throw new UnreadableAppend(streamId, type, isEncryptedCorrelation(correlationId) ? undefined : problem);
  }
}
