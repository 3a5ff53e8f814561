import type { JsonObject, JsonValue } from '@phaseline/basics';
import type { CallId, StreamId } from '@phaseline/contracts';

/** Names an event of the log. */
export interface EventRef {
  readonly streamId: StreamId;
  readonly version: number;
}

/** An ended call of a phase, as checks see it. */
export interface CallRecord {
  readonly callId: CallId;
  readonly name: string;
  readonly arguments: JsonObject;
  /** Structured result, for tools that declare one. */
  readonly result?: JsonObject;
  readonly outcome: 'completed' | 'failed';
  /** Set for a call that does not count as work on a todo. */
  readonly bookkeeping?: true;
  /** Place of the event that ended the call in the history of the phase, which in a fork begins with that of its parent. */
  readonly order: number;
  readonly event: EventRef;
}

/** Length to which texts in arguments are shortened. Checks compare paths, names and options, not content. */
const MAX_ARGUMENT_CHARACTERS = 2_000;

/** Shortens long texts, so that the records of a phase stay small when a call writes a file. */
export function shortenArguments(args: JsonObject): JsonObject {
  return shorten(args) as JsonObject;
}

function shorten(value: JsonValue): JsonValue {
  if (typeof value === 'string')
    return value.length > MAX_ARGUMENT_CHARACTERS ? value.slice(0, MAX_ARGUMENT_CHARACTERS) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(shorten);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member)]));
}
