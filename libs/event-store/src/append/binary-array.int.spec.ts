import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../testing/store.fixture.js';
import { boolArray, byteaArray, int4Array, int8Array, textArray, uuidArray } from './binary-array.js';

const pools = useTestDatabase();

/** Sends an array to PostgreSQL and returns it as JSON. */
async function roundTrip(type: string, array: Buffer): Promise<unknown> {
  const { rows } = await pools.service.query<{ value: unknown }>(
    `SELECT coalesce(to_json($1::${type}[]), '[]') AS value`,
    [array],
  );
  return rows[0]?.value;
}

describe('PostgreSQL decodes binary arrays of', () => {
  it('int4, int8, bool', async () => {
    expect(await roundTrip('int4', int4Array([0, -1, 2 ** 31 - 1]))).toEqual([0, -1, 2 ** 31 - 1]);
    expect(await roundTrip('int8', int8Array([-1, Number.MAX_SAFE_INTEGER]))).toEqual([-1, Number.MAX_SAFE_INTEGER]);
    expect(await roundTrip('bool', boolArray([true, false]))).toEqual([true, false]);
  });

  it('text: quotes, braces, the string NULL, the empty string and multi-byte characters', async () => {
    const texts = ['', 'NULL', '{"a":"\\"}', "it's", '日本 😀', 'x'.repeat(100_000)];
    expect(await roundTrip('text', textArray(texts))).toEqual(texts);
  });

  it('uuid and bytea', async () => {
    const ids = [randomUUID(), randomUUID().toUpperCase()];
    expect(await roundTrip('uuid', uuidArray(ids))).toEqual(ids.map((id) => id.toLowerCase()));
    expect(await roundTrip('bytea', byteaArray([new Uint8Array([0, 255]), new Uint8Array()]))).toEqual([
      '\\x00ff',
      '\\x',
    ]);
  });

  it('no elements', async () => {
    expect(await roundTrip('text', textArray([]))).toEqual([]);
    expect(await roundTrip('bytea', byteaArray([]))).toEqual([]);
  });
});
