import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { useTestDatabase } from '../testing/store.fixture.js';
import { BlobCorrupt } from './blob-errors.js';
import type { BlobStore } from './blob-store.js';
import { ContentHash, contentHash, computePiecesHash } from './content-hash.js';
import { PIECE_BYTES, splitIntoPieces } from './piece.js';

const pools = useTestDatabase();
let blobs: BlobStore;
beforeAll(() => {
  ({ blobs } = new EventStore(pools.service));
});

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const bytesOf = (hash: string): Buffer => Buffer.from(hash, 'hex');
async function piecesIn(content: Buffer): Promise<{ hash: string; size: number; content: Buffer }[]> {
  const pieces: { hash: string; size: number; content: Buffer }[] = [];
  for await (const piece of splitIntoPieces([content]))
    pieces.push({ hash: sha256(piece), size: piece.byteLength, content: piece });
  return pieces;
}
const putManifest = (name: string, pieces: readonly { readonly hash: string }[]): Promise<unknown> =>
  pools.service.query('SELECT phaseline.put_manifest($1, $2)', [
    bytesOf(name),
    pieces.map(({ hash }) => bytesOf(hash)),
  ]);

describe('the content hash', () => {
  it.each([0, 1, PIECE_BYTES - 1, PIECE_BYTES])('of %i bytes is their SHA-256', (bytes) => {
    const content = randomBytes(bytes);
    expect(contentHash(content)).toBe(sha256(content));
  });

  it.each([PIECE_BYTES + 1, 2 * PIECE_BYTES, 3 * PIECE_BYTES + 77])(
    'of %i bytes follows from its pieces, independent of chunk sizes, and is the same in the database',
    async (bytes) => {
      const content = randomBytes(bytes);
      const pieces = await piecesIn(content);
      const name = computePiecesHash(pieces);
      expect(name).not.toBe(sha256(content));
      for (const chunk of [70_001, PIECE_BYTES, bytes]) {
        const hash = new ContentHash();
        for (let from = 0; from < bytes; from += chunk) hash.update(content.subarray(from, from + chunk));
        expect(hash.digest()).toBe(name);
      }
      const { rows } = await pools.service.query<{ name: string }>(
        `SELECT encode(phaseline.pieces_name($1, $2), 'hex') AS name`,
        [pieces.map(({ hash }) => bytesOf(hash)), pieces.map(({ size }) => size)],
      );
      expect(rows[0]!.name).toBe(name);
      expect(await blobs.put(content)).toBe(name);
      expect((await blobs.putStream([content])).hash).toBe(name);
    },
  );
});

describe('a service that forges a large file', () => {
  it('cannot store other content under the hash of a file that is not stored yet', async () => {
    const [wanted, forged] = [randomBytes(2 * PIECE_BYTES), randomBytes(2 * PIECE_BYTES)];
    const pieces = await piecesIn(forged);
    for (const { content } of pieces) await blobs.put(content);
    for (const name of [contentHash(wanted), sha256(wanted), sha256(forged)])
      await expect(putManifest(name, pieces)).rejects.toMatchObject({ code: 'PL008' });
    expect(await blobs.has([contentHash(wanted), sha256(wanted)])).toEqual(new Set());
    const stored = await blobs.put(wanted);
    expect((await blobs.get(stored))!.equals(wanted)).toBe(true);
  });

  it('cannot list the pieces in another order or omit one', async () => {
    const pieces = await piecesIn(randomBytes(3 * PIECE_BYTES));
    for (const { content } of pieces) await blobs.put(content);
    await expect(putManifest(computePiecesHash(pieces), pieces.toReversed())).rejects.toMatchObject({ code: 'PL008' });
    await expect(putManifest(computePiecesHash(pieces), pieces.slice(0, 2))).rejects.toMatchObject({ code: 'PL008' });
    await putManifest(computePiecesHash(pieces), pieces);
  });

  it('cannot store the list of pieces under the hash of the file, nor a row larger than a piece', async () => {
    const pieces = await piecesIn(randomBytes(2 * PIECE_BYTES));
    const values = ['phaseline-pieces-1', 2 * PIECE_BYTES, 2, ...pieces.flatMap(({ hash, size }) => [hash, size])];
    const list = values.map((value) => `${String(value).length}:${value},`).join('');
    expect(createHash('sha512').update(list).digest('hex').slice(0, 64)).toBe(computePiecesHash(pieces));
    const put = (name: string, content: Uint8Array): Promise<unknown> =>
      pools.service.query('SELECT phaseline.put_blob($1, $2)', [bytesOf(name), content]);
    await expect(put(computePiecesHash(pieces), Buffer.from(list))).rejects.toThrow(/blobs_check/);
    const large = randomBytes(PIECE_BYTES + 1);
    await expect(put(sha256(large), large)).rejects.toThrow(/blobs_hold_one_piece/);
  });
});

describe('all content is checked before it is returned:', () => {
  const altered = 2;
  let name: string;
  let content: Buffer;
  beforeAll(async () => {
    content = randomBytes(4 * PIECE_BYTES);
    name = await blobs.put(content);
    await pools.owner.query(`ALTER TABLE phaseline.blobs DROP CONSTRAINT blobs_check;
      ALTER TABLE phaseline.blobs DISABLE TRIGGER USER`);
    const piece = (await piecesIn(content))[altered]!;
    await pools.owner.query(
      `UPDATE phaseline.blobs SET content = overlay(content PLACING 'forged!' FROM 1000) WHERE hash = $1`,
      [bytesOf(piece.hash)],
    );
    await pools.owner.query('ALTER TABLE phaseline.blobs ENABLE ALWAYS TRIGGER blobs_are_append_only');
  });
  // Creates a store without cached content.
  const createStore = (): BlobStore => new EventStore(pools.service).blobs;

  it('a stream ends before an altered piece', async () => {
    const parts: Buffer[] = [];
    const reading = (async () => {
      for await (const part of createStore().stream(name)) parts.push(part);
    })();
    await expect(reading).rejects.toThrow(BlobCorrupt);
    expect(Buffer.concat(parts).equals(content.subarray(0, altered * PIECE_BYTES))).toBe(true);
  });

  it('a range that overlaps an altered piece fails, and an adjacent range succeeds', async () => {
    const at = altered * PIECE_BYTES;
    for (const range of [
      { offset: at, length: 1 },
      { offset: at - 1, length: 2 },
      { offset: at + PIECE_BYTES - 1, length: 5 },
    ])
      await expect(createStore().read(name, range)).rejects.toThrow(BlobCorrupt);
    for (const range of [
      { offset: at - 10, length: 10 },
      { offset: at + PIECE_BYTES, length: 10 },
    ])
      expect((await createStore().read(name, range))!.equals(content.subarray(range.offset, range.offset + 10))).toBe(
        true,
      );
    const parts: Buffer[] = [];
    const reading = (async () => {
      for await (const part of createStore().stream(name, { offset: at, length: 10 })) parts.push(part);
    })();
    await expect(reading).rejects.toThrow(BlobCorrupt);
    expect(parts).toEqual([]);
  });

  it('a range of a small blob is checked', async () => {
    const small = await blobs.put(Buffer.from('a small and honest file'));
    await pools.owner.query('ALTER TABLE phaseline.blobs DISABLE TRIGGER USER');
    await pools.owner.query(`UPDATE phaseline.blobs SET content = 'a small and forged file' WHERE hash = $1`, [
      bytesOf(small),
    ]);
    await expect(createStore().read(small, { offset: 0, length: 4 })).rejects.toThrow(BlobCorrupt);
  });

  it('a list of pieces is checked', async () => {
    const whole = randomBytes(3 * PIECE_BYTES);
    const other = await blobs.put(whole);
    await pools.owner.query('ALTER TABLE phaseline.blob_pieces DISABLE TRIGGER USER');
    await pools.owner.query(
      `UPDATE phaseline.blob_pieces SET piece = (SELECT piece FROM phaseline.blob_pieces WHERE hash = $1 AND number = 1)
       WHERE hash = $1 AND number = 0`,
      [bytesOf(other)],
    );
    await expect(createStore().read(other, { offset: 2 * PIECE_BYTES, length: 4 })).rejects.toThrow(BlobCorrupt);
  });
});

it('reads a piece once for consecutive ranges', async () => {
  const content = randomBytes(2 * PIECE_BYTES);
  const name = await blobs.put(content);
  let queries = 0;
  const countingPool = Object.create(pools.service) as pg.Pool;
  countingPool.query = ((config: pg.QueryConfig) => {
    queries += 1;
    return pools.service.query(config);
  }) as pg.Pool['query'];
  const store = new EventStore(countingPool).blobs;
  for (let offset = 0; offset < PIECE_BYTES; offset += 65_536)
    expect(
      (await store.read(name, { offset, length: 65_536 }))!.equals(content.subarray(offset, offset + 65_536)),
    ).toBe(true);
  // One query that finds no row, one for the list of pieces, and eight for the piece at 128 KiB each.
  expect(queries).toBe(2 + 8);
});

it('stores a long text and a file of an append in pieces if they are larger than a piece', async () => {
  const store = new EventStore(pools.service);
  const [text, file] = ['grüße '.repeat(300_000), randomBytes(PIECE_BYTES + 5)];
  const event = {
    eventId: crypto.randomUUID(),
    type: 'FileWritten',
    schemaVersion: 1,
    data: { path: 'a', hash: contentHash(file), size: file.byteLength, text },
    metadata: {},
  };
  const append = { streamId: 'large', correlationId: 'large', expectedVersion: 0, events: [event] };
  await store.append(append, { blobs: [{ hash: contentHash(file), content: file }] });
  const [read] = await new EventStore(pools.service).read('large');
  expect(read!.data).toEqual(event.data);
  expect((await store.blobs.get(contentHash(file)))!.equals(file)).toBe(true);
});
