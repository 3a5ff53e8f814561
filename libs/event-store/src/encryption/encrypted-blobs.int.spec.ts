import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { BlobNotStored } from '../blobs/blob-errors.js';
import { contentHash } from '../blobs/content-hash.js';
import { PIECE_BYTES } from '../blobs/piece.js';
import type { EventStore } from '../event-store.js';
import { useTestDatabase } from '../testing/store.fixture.js';
import { DecryptionFailed } from './encryption-errors.js';
import { createEncryptedAppend, createEncryptedId, createEncryptedStore } from '../testing/encrypted.fixture.js';

const pools = useTestDatabase();
let store: EventStore;
beforeAll(() => {
  store = createEncryptedStore(pools.service);
});

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
async function* toParts(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.byteLength; at += 70_000) yield content.subarray(at, at + 70_000);
}
async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

describe.each([0, 1, PIECE_BYTES, PIECE_BYTES + 1, 5 * PIECE_BYTES + 7])(
  'a file of %d bytes of an encrypted job',
  (size) => {
    const content = randomBytes(size);
    const hash = contentHash(content);

    it('can be read whole and in ranges, whichever way it was stored', async () => {
      for (const put of [
        (id: string) => store.blobs.forJob(id).put(content),
        async (id: string) => (await store.blobs.forJob(id).putStream(toParts(content))).hash,
        async (id: string) => {
          await store.append(createEncryptedAppend(id, [{ data: { text: 'x' } }]), { blobs: [{ hash, content }] });
          return hash;
        },
      ]) {
        const id = createEncryptedId();
        expect(await put(id)).toBe(hash);
        const blobs = store.blobs.forJob(id);
        expect((await blobs.get(hash))!.equals(content)).toBe(true);
        const all = await blobs.getAll([hash, 'ab'.repeat(32)]);
        expect([...all.keys()]).toEqual([hash]);
        expect(all.get(hash)!.equals(content)).toBe(true);
        expect(await blobs.size(hash)).toBe(size);
        expect((await collect(blobs.stream(hash))).equals(content)).toBe(true);
        for (const range of [
          { offset: 0, length: 10 },
          { offset: Math.max(0, size - 5), length: 10 },
          { offset: Math.max(0, PIECE_BYTES - 3), length: 6 },
          { offset: size + 3, length: 4 },
        ]) {
          const expected = content.subarray(range.offset, range.offset + range.length);
          expect((await blobs.read(hash, range))!.equals(expected), JSON.stringify(range)).toBe(true);
          expect((await collect(blobs.stream(hash, range))).equals(expected)).toBe(true);
        }
        expect(await blobs.has([hash, 'ab'.repeat(32)])).toEqual(new Set([hash]));
        expect(await store.blobs.has([hash])).toEqual(new Set());
      }
    });
  },
);

describe('files of encrypted jobs', () => {
  it('reveal nothing without the key: neither content, nor hash, nor whether two jobs have the same file', async () => {
    const content = Buffer.from('the same confidential file');
    const [one, two] = [createEncryptedId(), createEncryptedId()];
    for (const id of [one, two, one]) await store.blobs.forJob(id).put(content);
    const { rows } = await pools.owner.query<{ t: string; name: string; content: string }>(
      `SELECT t::text AS t, encode(name, 'hex') AS name, encode(content, 'hex') AS content
       FROM phaseline.encrypted_blobs AS t WHERE correlation_id = ANY ($1)`,
      [[one, two]],
    );
    expect(rows).toHaveLength(2);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(2);
    expect(new Set(rows.map((row) => row.content)).size).toBe(2);
    const text = rows.map(({ t }) => t).join();
    expect(text).not.toContain(content.toString('hex'));
    expect(text).not.toContain(sha256(content));
    expect(await store.blobs.get(sha256(content))).toBeUndefined();
  });

  it('cannot be read through another job, and are rejected if too large', async () => {
    const [one, two] = [createEncryptedId(), createEncryptedId()];
    const hash = await store.blobs.forJob(one).put(Buffer.from('mine'));
    await store.blobs.forJob(two).put(Buffer.from('other'));
    expect(await store.blobs.forJob(two).get(hash)).toBeUndefined();
    expect(await store.blobs.forJob(two).read(hash, { offset: 0, length: 1 })).toBeUndefined();
    expect(await store.blobs.forJob(two).getAll([hash])).toEqual(new Map());
    await expect(collect(store.blobs.forJob(two).stream(hash))).rejects.toThrow(BlobNotStored);
  });

  it('cannot be decrypted if one was replaced by another', async () => {
    const id = createEncryptedId();
    const blobs = store.blobs.forJob(id);
    const [first, second] = [await blobs.put(Buffer.from('first')), await blobs.put(Buffer.from('second'))];
    await pools.owner.query('ALTER TABLE phaseline.encrypted_blobs DISABLE TRIGGER USER');
    await pools.owner.query(
      `UPDATE phaseline.encrypted_blobs AS b SET content = (
         SELECT o.content FROM phaseline.encrypted_blobs AS o WHERE o.correlation_id = b.correlation_id AND o.name <> b.name)
       WHERE correlation_id = $1`,
      [id],
    );
    await expect(blobs.get(first)).rejects.toThrow(DecryptionFailed);
    await expect(blobs.get(second)).rejects.toThrow(DecryptionFailed);
    await expect(blobs.getAll([first, second])).rejects.toThrow(DecryptionFailed);
  });

  it('are read together with one query', async () => {
    const blobs = store.blobs.forJob(createEncryptedId());
    const contents = Array.from({ length: 300 }, (_, number) => Buffer.from(`file ${number}`));
    await blobs.putAll(contents.map((content) => ({ hash: contentHash(content), content })));
    const query = vi.spyOn(pools.service, 'query');
    onTestFinished(() => query.mockRestore());
    const all = await blobs.getAll(contents.map((content) => contentHash(content)));
    expect(contents.map((content) => all.get(contentHash(content)))).toEqual(contents);
    expect(query).toHaveBeenCalledTimes(1);
  });
});
