import type pg from 'pg';
import { int4Array, textArray, uuidArray } from './binary-array.js';
import { toAppendResult, toUnitOutcome, type OutcomeRow, type UnitOutcome } from './append-outcomes.js';
import { encodeBatch, type EncodedUnit } from './encode-batch.js';
import type { AppendResult, NewEvent } from './append-types.js';

/**
 * Uses pg directly instead of Kysely, because this is the hottest statement of the system: prepared once per connection, with binary
 * parameters, and with rows returned as unparsed text.
 */
const APPEND = {
  name: 'phaseline-append',
  text: `SELECT status, version, position, hash, recorded_at, event_id
    FROM phaseline.append($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18)`,
};
const APPEND_ONE = {
  name: 'phaseline-append-one',
  text: 'SELECT version, position, hash, recorded_at FROM phaseline.append_one($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)',
};
const APPEND_EVENT = {
  name: 'phaseline-append-event',
  text: 'SELECT version, position, hash, recorded_at FROM phaseline.append_event($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)',
};

const asText = { getTypeParser: () => (value: string | Buffer) => value };

type Connection = Pick<pg.Pool, 'query'> | Pick<pg.ClientBase, 'query'>;

/** Appends all units in one round trip and one commit; each has its own outcome, in order. */
export async function appendBatch(connection: Connection, units: readonly EncodedUnit[]): Promise<UnitOutcome[]> {
  const { rows } = await connection.query<string[]>({
    ...APPEND,
    values: encodeBatch(units),
    rowMode: 'array',
    types: asText,
  });
  let row = 0;
  return units.map(({ unit }) => {
    const unitRows = rows.slice(row, row + unit.appends.length);
    row += unit.appends.length;
    // Rows in array mode are tuples in the order of the selected columns.
    return toUnitOutcome(unit, unitRows as unknown as OutcomeRow[]);
  });
}

/** append_one inserts each event with its own statement, which is cheaper than the arrays of append only up to this number. */
const MAX_EVENTS_OF_APPEND_ONE = 8;

/** Whether a unit is simple enough for appendOne. */
export function canUseAppendOne({ unit }: EncodedUnit): boolean {
  const [append] = unit.appends;
  return (
    append !== undefined &&
    unit.appends.length === 1 &&
    unit.blobs.length === 0 &&
    append.events.length <= MAX_EVENTS_OF_APPEND_ONE &&
    append.reopensStream !== true
  );
}

/**
 * Appends a simple unit with the cheaper append_event or append_one. Returns undefined if the append was not possible; appendBatch then
 * reports why. May fail with a unique violation for the same reason.
 */
export async function appendOne(
  connection: Connection,
  { unit, texts }: EncodedUnit,
): Promise<AppendResult[] | undefined> {
  const append = unit.appends[0];
  if (!append) return undefined;
  const { events, expectedVersion } = append;
  const [event] = events;
  const common = [
    append.streamId,
    append.correlationId,
    expectedVersion === 'any' ? -1 : expectedVersion,
    append.closesStream ?? false,
    append.wake ?? false,
  ];
  const { rows } = await connection.query<string[]>({
    ...(event && events.length === 1 && expectedVersion !== 'any' && expectedVersion > 0
      ? { ...APPEND_EVENT, values: [...common, event.eventId, event.type, event.schemaVersion, ...texts] }
      : { ...APPEND_ONE, values: [...common, ...encodeEvents(events, texts)] }),
    rowMode: 'array',
    types: asText,
  });
  const row = rows[0];
  // Rows in array mode are tuples in the order of the selected columns.
  return row && [toAppendResult(append, row as unknown as [string, string, string, string])];
}

/** Encodes events as the parameters 6 to 10 of append_one. `texts` are the data and metadata of each event, as JSON. */
function encodeEvents(events: readonly NewEvent[], texts: readonly string[]): Buffer[] {
  return [
    uuidArray(events.map((event) => event.eventId)),
    textArray(events.map((event) => event.type)),
    int4Array(events.map((event) => event.schemaVersion)),
    textArray(texts.filter((_, index) => index % 2 === 0)),
    textArray(texts.filter((_, index) => index % 2 === 1)),
  ];
}
