import type pg from 'pg';
import { int4Array, textArray, uuidArray } from './binary-array.js';
import { singleResult, unitOutcome, type OutcomeRow, type UnitOutcome } from './append-outcomes.js';
import { encodeBatch, type EncodableUnit } from './encode-batch.js';
import type { AppendResult } from './append-types.js';

/**
 * Raw pg and not kysely: this is the hottest statement of the system. It is prepared by name once a connection, its
 * parameters are binary, and its rows stay the text they arrive as.
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

const asText = { getTypeParser: () => (value: string | Buffer) => value };

type Connection = Pick<pg.Pool, 'query'> | Pick<pg.ClientBase, 'query'>;

/** Appends all units in one round trip and one commit; each has its own outcome, in order. */
export async function appendBatch(connection: Connection, units: readonly EncodableUnit[]): Promise<UnitOutcome[]> {
  const { rows } = await connection.query<string[]>({
    ...APPEND,
    values: encodeBatch(units),
    rowMode: 'array',
    types: asText as never,
  });
  let row = 0;
  return units.map(({ unit }) => {
    const mine = rows.slice(row, row + unit.appends.length);
    row += unit.appends.length;
    return unitOutcome(unit, mine as unknown as OutcomeRow[]);
  });
}

/** The inserts of the short cut are one statement each, which up to here cost less than the arrays of the batch. */
const MOST_EVENTS_OF_ONE = 8;

/** Whether a unit is simple enough for appendOne. */
export function fitsAppendOne({ unit }: EncodableUnit): boolean {
  const [append] = unit.appends;
  return (
    append !== undefined &&
    unit.appends.length === 1 &&
    unit.blobs.length === 0 &&
    append.events.length <= MOST_EVENTS_OF_ONE &&
    append.reopensStream !== true
  );
}

/** `undefined` when anything stood in the way: appendBatch then says what. May fail with a unique violation for the same reason. */
export async function appendOne(
  connection: Connection,
  { unit, texts }: EncodableUnit,
): Promise<AppendResult[] | undefined> {
  const append = unit.appends[0];
  if (!append) return undefined;
  const { events } = append;
  const { rows } = await connection.query<string[]>({
    ...APPEND_ONE,
    values: [
      append.streamId,
      append.correlationId,
      append.expectedVersion === 'any' ? -1 : append.expectedVersion,
      append.closesStream ?? false,
      append.wake ?? false,
      uuidArray(events.map((event) => event.eventId)),
      textArray(events.map((event) => event.type)),
      int4Array(events.map((event) => event.schemaVersion)),
      textArray(texts.filter((_, index) => index % 2 === 0)),
      textArray(texts.filter((_, index) => index % 2 === 1)),
    ],
    rowMode: 'array',
    types: asText as never,
  });
  const row = rows[0];
  return row && [singleResult(append, row as unknown as [string, string, string, string])];
}
