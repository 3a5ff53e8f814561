import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { useTestDatabase } from '../testing/store.fixture.js';
import { BlobNotStored } from './blob-errors.js';
import type { BlobStore } from './blob-store.js';
import { contentHash } from './content-hash.js';
import { PIECE_BYTES, splitIntoPieces } from './piece.js';

const pools = useTestDatabase();
let blobs: BlobStore;
beforeAll(() => {
  ({ blobs } = new EventStore(pools.service));
});

async function* toChunks(content: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < content.byteLength; from += bytes) yield content.subarray(from, from + bytes);
}
async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}
const countRows = async (table: string): Promise<number> =>
  Number((await pools.owner.query<{ count: string }>(`SELECT count(*) FROM phaseline.${table}`)).rows[0]!.count);

describe.each([
  ['nothing', 0, 100],
  ['less than a piece', 1_000, 7],
  ['one piece exactly', PIECE_BYTES, 65_536],
  ['a piece and a byte', PIECE_BYTES + 1, 65_536],
  ['some pieces in chunks larger than one', 3 * PIECE_BYTES + 12_345, 2_500_000],
])('a stream of %s', (_what, bytes, chunk) => {
  const content = randomBytes(bytes);

  it('is stored under its content hash and can be read whole, as a stream, and in ranges', async () => {
    const stored = await blobs.putStream(toChunks(content, chunk));
    expect(stored).toEqual({ hash: contentHash(content), size: bytes });
    expect(await blobs.size(stored.hash)).toBe(bytes);
    expect(await blobs.has([stored.hash])).toEqual(new Set([stored.hash]));
    expect((await blobs.get(stored.hash))!.equals(content)).toBe(true);
    expect((await collect(blobs.stream(stored.hash))).equals(content)).toBe(true);
    for (const [offset, length] of [
      [0, 10],
      [PIECE_BYTES - 5, 10],
      [PIECE_BYTES, 1],
      [bytes - 3, 100],
      [bytes, 10],
      [bytes + PIECE_BYTES * 2, 10],
    ] as const) {
      const part = await blobs.read(stored.hash, { offset: Math.max(0, offset), length });
      expect(part!.equals(content.subarray(Math.max(0, offset), Math.max(0, offset) + length))).toBe(true);
    }
  });
});

it('stores pieces shared by two large blobs once, and adds nothing when a blob is stored again', async () => {
  const common = randomBytes(2 * PIECE_BYTES);
  await blobs.putStream(toChunks(Buffer.concat([common, randomBytes(10)]), 500_000));
  const before = [await countRows('blobs'), await countRows('blob_pieces')];
  const second = Buffer.concat([common, randomBytes(10)]);
  await blobs.putStream(toChunks(second, 500_000));
  await blobs.putStream(toChunks(second, 70_000));
  expect([await countRows('blobs'), await countRows('blob_pieces')]).toEqual([before[0]! + 1, before[1]! + 3]);
});

it('reads a range of a large blob without reading other pieces', async () => {
  const content = randomBytes(3 * PIECE_BYTES);
  const { hash } = await blobs.putStream(toChunks(content, 1_000_000));
  const first = contentHash(content.subarray(0, PIECE_BYTES));
  await pools.owner.query('ALTER TABLE phaseline.blobs DISABLE TRIGGER USER');
  await pools.owner.query('ALTER TABLE phaseline.blob_pieces DROP CONSTRAINT blob_pieces_piece_fkey');
  await pools.owner.query('DELETE FROM phaseline.blobs WHERE hash = $1', [Buffer.from(first, 'hex')]);
  const part = await blobs.read(hash, { offset: 2 * PIECE_BYTES - 5, length: 10 });
  expect(part!.equals(content.subarray(2 * PIECE_BYTES - 5, 2 * PIECE_BYTES + 5))).toBe(true);
  await expect(collect(blobs.stream(hash))).rejects.toThrow(BlobNotStored);
  await expect(blobs.get(hash)).rejects.toThrow(BlobNotStored);
  await pools.owner.query('ALTER TABLE phaseline.blobs ENABLE TRIGGER USER');
  await blobs.putStream(toChunks(content, 1_000_000));
  await pools.owner.query('ALTER TABLE phaseline.blob_pieces ADD FOREIGN KEY (piece) REFERENCES phaseline.blobs');
  await pools.owner.query('ALTER TABLE phaseline.blobs ENABLE ALWAYS TRIGGER blobs_are_append_only');
});

it('throws BlobNotStored when streaming a blob that is not stored', async () => {
  await expect(collect(blobs.stream('ab'.repeat(32)))).rejects.toThrow(BlobNotStored);
  expect(await blobs.read('ab'.repeat(32), { offset: 0, length: 1 })).toBeUndefined();
});

describe('the database', () => {
  const putManifest = (hash: Buffer, pieces: readonly Buffer[]): Promise<unknown> =>
    pools.service.query('SELECT phaseline.put_manifest($1, $2)', [hash, pieces]);
  const hashOf = (hex: string): Buffer => Buffer.from(hex, 'hex');

  it.each([
    ['a piece that is not stored', async () => [randomBytes(32), hashOf(await blobs.put(Buffer.from('last')))]],
    [
      'a short piece that is not the last',
      async () => [hashOf(await blobs.put(Buffer.from('short'))), hashOf(await blobs.put(randomBytes(PIECE_BYTES)))],
    ],
    ['a single piece', async () => [hashOf(await blobs.put(randomBytes(PIECE_BYTES)))]],
    ['no pieces', async () => []],
  ])('refuses a manifest with %s', async (_what, pieces) => {
    await expect(putManifest(randomBytes(32), await pieces())).rejects.toThrow();
  });

  it('does not allow any login to change or remove stored content', async () => {
    const content = randomBytes(PIECE_BYTES + 3);
    const hash = await blobs.put(content);
    const bytes = `decode('${hash}', 'hex')`;
    for (const statement of [
      `UPDATE phaseline.blobs SET content = 'x'`,
      `UPDATE phaseline.blobs SET hash = sha256('x')`,
      'DELETE FROM phaseline.blobs',
      'DELETE FROM phaseline.blobs WHERE false',
      'TRUNCATE phaseline.blobs CASCADE',
      `UPDATE phaseline.blob_manifests SET size = size + 1 WHERE hash = ${bytes}`,
      `DELETE FROM phaseline.blob_manifests WHERE hash = ${bytes}`,
      'TRUNCATE phaseline.blob_manifests CASCADE',
      `UPDATE phaseline.blob_pieces SET piece = ${bytes}`,
      `DELETE FROM phaseline.blob_pieces WHERE hash = ${bytes}`,
      'TRUNCATE phaseline.blob_pieces',
      'DELETE FROM phaseline.blob_marks',
      `DO $$ BEGIN DELETE FROM phaseline.blobs; END $$`,
      `SELECT set_config('phaseline.collecting', 'on', true); DELETE FROM phaseline.blobs`,
    ])
      await expect(pools.owner.query(statement), statement).rejects.toMatchObject({ code: 'PL001' });
    const server = new URL(inject('testServer').superuserUrl);
    server.pathname = new URL(pools.database.ownerUrl).pathname;
    const superuser = new pg.Client({ connectionString: server.href });
    await superuser.connect();
    await superuser.query('SET session_replication_role = replica');
    await expect(superuser.query('DELETE FROM phaseline.blobs')).rejects.toMatchObject({ code: 'PL001' });
    await superuser.end();
    for (const table of ['blob_manifests', 'blob_pieces', 'blobs'])
      await expect(pools.service.query(`DELETE FROM phaseline.${table}`)).rejects.toThrow(/permission denied/);
    await expect(
      pools.service.query(`INSERT INTO phaseline.blob_manifests VALUES (sha256(''), 2000000, 2)`),
    ).rejects.toThrow(/permission denied/);
    expect((await blobs.get(hash))!.equals(content)).toBe(true);
  });
});

it('splits chunks of any size into pieces without losing bytes', async () => {
  const content = randomBytes(2 * PIECE_BYTES + 17);
  for (const bytes of [1_000, PIECE_BYTES - 1, PIECE_BYTES, content.byteLength]) {
    const pieces: Buffer[] = [];
    for await (const piece of splitIntoPieces(toChunks(content, bytes))) pieces.push(piece);
    expect(pieces.map((piece) => piece.byteLength)).toEqual([PIECE_BYTES, PIECE_BYTES, 17]);
    expect(Buffer.concat(pieces).equals(content)).toBe(true);
  }
});
