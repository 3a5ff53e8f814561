import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../testing/store.fixture.js';
import { boolArray, byteaArray, int4Array, int8Array, textArray, uuidArray } from './binary-array.js';

const pools = useTestDatabase();

/** What PostgreSQL understands of an array, as JSON. */
async function understood(type: string, array: Buffer): Promise<unknown> {
  const { rows } = await pools.service.query<{ value: unknown }>(
    `SELECT coalesce(to_json($1::${type}[]), '[]') AS value`,
    [array],
  );
  return rows[0]?.value;
}

describe('binary arrays arrive as they were meant', () => {
  it('int4, int8, bool', async () => {
    expect(await understood('int4', int4Array([0, -1, 2 ** 31 - 1]))).toEqual([0, -1, 2 ** 31 - 1]);
    expect(await understood('int8', int8Array([-1, Number.MAX_SAFE_INTEGER]))).toEqual([-1, Number.MAX_SAFE_INTEGER]);
    expect(await understood('bool', boolArray([true, false]))).toEqual([true, false]);
  });

  it('text with quotes, braces, NULL as a word, nothing, and several bytes a character', async () => {
    const texts = ['', 'NULL', '{"a":"\\"}', "it's", '日本 😀', 'x'.repeat(100_000)];
    expect(await understood('text', textArray(texts))).toEqual(texts);
  });

  it('uuid and bytea', async () => {
    const ids = [randomUUID(), randomUUID().toUpperCase()];
    expect(await understood('uuid', uuidArray(ids))).toEqual(ids.map((id) => id.toLowerCase()));
    expect(await understood('bytea', byteaArray([new Uint8Array([0, 255]), new Uint8Array()]))).toEqual([
      '\\x00ff',
      '\\x',
    ]);
  });

  it('empty ones', async () => {
    expect(await understood('text', textArray([]))).toEqual([]);
    expect(await understood('bytea', byteaArray([]))).toEqual([]);
  });
});
