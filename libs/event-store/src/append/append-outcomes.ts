import { toIsoMicros } from '../database/iso-micros.js';
import { CorrelationMismatch, DuplicateEventId, StreamClosed, WrongExpectedVersion } from './append-errors.js';
import type { AppendResult, AppendUnit, StreamAppend } from './append-types.js';

/** A result row of phaseline.append as text: status, version, position, hash, recorded_at, event_id. */
export type OutcomeRow = readonly [string, string, string | null, string | null, string | null, string | null];

/** Outcome of a unit: the results of its appends, or the error it was rejected with. */
export type UnitOutcome = readonly AppendResult[] | Error;

const APPENDED = '0';
const ALREADY_DONE = '1';
const WRONG_VERSION = '2';
const CLOSED = '3';
const DUPLICATE = '4';
const CORRELATION = '5';
const ANOTHER_REJECTED = '6';

/** Converts the rows of one unit, in the order of its appends, to its outcome. */
export function toUnitOutcome({ appends }: AppendUnit, rows: readonly OutcomeRow[]): UnitOutcome {
  const results: AppendResult[] = [];
  for (const [index, append] of appends.entries()) {
    const row = rows[index];
    if (!row) throw new Error(`phaseline.append returned ${rows.length} rows for ${appends.length} appends`);
    if (row[0] === APPENDED || row[0] === ALREADY_DONE) results.push(resultOf(append, row));
    else if (row[0] !== ANOTHER_REJECTED) return rejectionOf(append, row);
  }
  return results;
}

/** Converts a row of phaseline.append_one or append_event: version, position, hash, recorded_at. */
export function toAppendResult(
  append: StreamAppend,
  [version, position, hash, recordedAt]: readonly [string, string, string, string],
): AppendResult {
  return resultOf(append, [APPENDED, version, position, hash, recordedAt, null]);
}

function resultOf({ streamId }: StreamAppend, [status, version, position, hash, recordedAt]: OutcomeRow): AppendResult {
  return {
    streamId,
    version: Number(version),
    position: Number(position),
    hash: (hash as string).slice(2),
    recordedAt: toIsoMicros(recordedAt as string),
    alreadyDone: status === ALREADY_DONE,
  };
}

function rejectionOf(append: StreamAppend, [status, version, , , , eventId]: OutcomeRow): Error {
  switch (status) {
    case WRONG_VERSION:
      return new WrongExpectedVersion(append.streamId, append.expectedVersion, Number(version));
    case CLOSED:
      return new StreamClosed(append.streamId, Number(version));
    case DUPLICATE:
      return new DuplicateEventId(append.streamId, eventId as string);
    case CORRELATION:
      return new CorrelationMismatch(append.streamId, append.correlationId);
    default:
      return new Error(
        `phaseline.append returned the unknown status ${status}: migrate the database, or start the release that matches it`,
      );
  }
}
