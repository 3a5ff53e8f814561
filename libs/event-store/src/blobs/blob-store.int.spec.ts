import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { useTestDatabase } from '../testing/store.fixture.js';
import { BlobCorrupt } from './blob-errors.js';
import type { BlobStore } from './blob-store.js';

const pools = useTestDatabase();
let blobs: BlobStore;
beforeAll(() => {
  ({ blobs } = new EventStore(pools.service));
});

it.each([
  ['nothing', new Uint8Array()],
  ['bytes that are not text', new Uint8Array([0, 0xff, 0xd8, 0x5c, 0x78])],
  ['a megabyte', randomBytes(1 << 20)],
  ['a view into a larger buffer', randomBytes(100).subarray(10, 20)],
])('returns exactly the stored bytes: %s', async (_, content) => {
  const hash = await blobs.put(content);
  expect(hash).toBe(createHash('sha256').update(content).digest('hex'));
  expect(await blobs.put(content)).toBe(hash);
  const stored = await blobs.get(hash);
  expect(stored && Buffer.compare(stored, content)).toBe(0);
});

it('reports which blobs are stored', async () => {
  const hash = await blobs.put(Buffer.from('here'));
  const other = 'ab'.repeat(32);
  expect(await blobs.has([hash, other])).toEqual(new Set([hash]));
  expect(await blobs.has([])).toEqual(new Set());
  expect(await blobs.get(other)).toBeUndefined();
});

it('detects altered bytes when reading', async () => {
  const hash = await blobs.put(Buffer.from('genuine'));
  await pools.owner.query(`ALTER TABLE phaseline.blobs DROP CONSTRAINT blobs_check, DISABLE TRIGGER USER`);
  await pools.owner.query(`UPDATE phaseline.blobs SET content = 'forged!' WHERE hash = $1`, [Buffer.from(hash, 'hex')]);
  await expect(blobs.get(hash)).rejects.toBeInstanceOf(BlobCorrupt);
});
