import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { appendTo, waitUntil, createStreamId, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { collectBlobs } from './collect-blobs.js';
import { PIECE_BYTES } from './piece.js';

const pools = useTestDatabase();
let store: EventStore;
beforeAll(() => {
  store = new EventStore(pools.service);
});

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const bytesOf = (hash: string): Buffer => Buffer.from(hash, 'hex');
const filterStored = async (...hashes: string[]): Promise<string[]> => {
  const found = await store.blobs.has(hashes);
  return hashes.filter((hash) => found.has(hash));
};

/** Makes all stored blobs two days older. */
async function ageBlobs(): Promise<void> {
  for (const table of ['blobs', 'blob_manifests'])
    await pools.owner.query(`UPDATE phaseline.${table} SET stored_at = stored_at - interval '2 days'`);
}

async function* toChunks(content: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < content.byteLength; from += 300_000) yield content.subarray(from, from + 300_000);
}

/** Appends an event that refers to blobs. */
async function appendReference(data: object, blobs: { hash: string; content: Buffer }[] = []): Promise<void> {
  await store.append(appendTo(createStreamId(), { events: [newEvent({ data: data as never })] }), { blobs });
}

describe('collecting blobs', () => {
  it('removes unreferenced blobs, and keeps files, trees, large texts and their pieces', async () => {
    const file = randomBytes(100);
    await appendReference({ path: 'a', hash: sha256(file), size: 100 }, [{ hash: sha256(file), content: file }]);
    const inTree = await store.blobs.put(randomBytes(10));
    await appendReference({ tree: { 'documents/b.md': { hash: inTree, size: 10 } } });
    const text = `Grüße ${'x'.repeat(20_000)}`;
    await appendReference({ content: text });
    const [referenced, unreferenced] = [randomBytes(2 * PIECE_BYTES + 5), randomBytes(2 * PIECE_BYTES + 7)];
    const large = await store.blobs.putStream(toChunks(referenced));
    await appendReference({ tree: { 'documents/c.bin': large } });
    const lost = await store.blobs.putStream(toChunks(unreferenced));
    const orphan = await store.blobs.put(Buffer.from('of an upload that broke off'));
    await ageBlobs();
    const young = await store.blobs.put(Buffer.from('somebody is about to refer to this'));

    const dry = await collectBlobs(pools.service, { dryRun: true });
    expect(dry).toMatchObject({ blobs: 4, bytes: unreferenced.byteLength + 27 });
    expect(await filterStored(orphan, lost.hash)).toHaveLength(2);

    expect(await collectBlobs(pools.service)).toEqual({ ...dry, events: 0 });
    expect(await filterStored(orphan, lost.hash)).toEqual([]);
    const all = [sha256(file), inTree, sha256(Buffer.from(text)), large.hash, young];
    expect(await filterStored(...all)).toEqual(all);
    expect((await store.blobs.get(large.hash))!.equals(referenced)).toBe(true);
    expect(await collectBlobs(pools.service)).toMatchObject({ blobs: 0 });
  });

  it('keeps an old blob that was stored again, and one that was referred to since', async () => {
    const [again, referred, gone] = await Promise.all(
      ['again', 'referred', 'gone'].map((text) => store.blobs.put(Buffer.from(text))),
    );
    await ageBlobs();
    await store.blobs.put(Buffer.from('again'));
    await appendReference({ hash: referred });
    await collectBlobs(pools.service);
    expect(await filterStored(again!, referred!, gone!)).toEqual([again, referred]);
  });

  it('skips blobs that an open transaction refers to, without waiting', async () => {
    const content = Buffer.from('old, and wanted at this very moment');
    const hash = await store.blobs.put(content);
    await ageBlobs();
    const client = await pools.service.connect();
    try {
      await client.query('BEGIN');
      await store.appendWithin(client, appendTo(createStreamId(), { events: [newEvent({ data: { hash } })] }), {
        blobs: [{ hash, content }],
      });
      await collectBlobs(pools.service);
      await client.query('COMMIT');
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    expect(await filterStored(hash)).toEqual([hash]);
    await collectBlobs(pools.service);
    expect(await filterStored(hash)).toEqual([hash]);
  });

  it('makes a concurrent append store a blob again that is being removed', async () => {
    const content = Buffer.from('old, and removed at this very moment');
    const hash = await store.blobs.put(content);
    await ageBlobs();
    await collectBlobs(pools.service, { dryRun: true });
    const collector = await pools.service.connect();
    try {
      await collector.query('BEGIN');
      const { rows } = await collector.query(`SELECT hash FROM phaseline.collect_blobs('1 day', '', 100, false)`);
      expect(rows).toContainEqual({ hash: bytesOf(hash) });
      const append = appendReference({ hash }, [{ hash, content }]);
      await waitUntil(async () => {
        const { rows: waiting } = await pools.service.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting[0];
      });
      await collector.query('COMMIT');
      await append;
    } finally {
      await collector.query('ROLLBACK');
      collector.release();
    }
    expect((await store.blobs.get(hash))?.toString()).toBe(content.toString());
  });

  it('sees an event that was committed after the marks were made', async () => {
    const hash = await store.blobs.put(Buffer.from('referred to in between'));
    const large = await store.blobs.putStream(toChunks(randomBytes(PIECE_BYTES + 9)));
    await ageBlobs();
    await collectBlobs(pools.service, { dryRun: true });
    // Refers to the blob without storing it, as a fork or a later phase does: only the second check detects the reference.
    await appendReference({ hash, tree: { 'documents/a.bin': large } });
    const { rows } = await pools.service.query(`SELECT hash FROM phaseline.collect_blobs('1 day', '', 100, false)`);
    expect(rows).not.toContainEqual({ hash: bytesOf(hash) });
    expect(await filterStored(hash)).toEqual([hash]);
    expect((await store.blobs.get(large.hash))?.byteLength).toBe(large.size);
  });

  it('removes nothing that concurrent writers keep referring to', { timeout: 60_000 }, async () => {
    const contents = Array.from({ length: 12 }, (_, index) => Buffer.from(`shared by many ${index}`));
    const named = contents.map((content) => ({ hash: sha256(content), content }));
    const referred = new Set<string>();
    let isOver = false;
    const writer = async (seed: number): Promise<void> => {
      const own = new EventStore(pools.service);
      for (let turn = 0; turn < 25; turn += 1) {
        const blob = named[(seed * 7 + turn * 5) % named.length]!;
        await own.append(appendTo(createStreamId(), { events: [newEvent({ data: { hash: blob.hash } })] }), {
          blobs: [blob],
        });
        referred.add(blob.hash);
        const [found] = await filterStored(blob.hash);
        expect(found).toBe(blob.hash);
      }
    };
    const collector = async (): Promise<void> => {
      while (!isOver) {
        await ageBlobs();
        await collectBlobs(pools.service);
        await sleep(1);
      }
    };
    const collecting = Promise.all([collector(), collector()]);
    await Promise.all([1, 2, 3].map(writer)).finally(() => (isOver = true));
    await collecting;
    expect(await filterStored(...referred)).toEqual([...referred]);
  });
});

describe('the database', () => {
  it('lets services remove nothing else, and not without the grace period', async () => {
    const hash = await store.blobs.put(Buffer.from('fresh'));
    for (const statement of [
      'DELETE FROM phaseline.blobs',
      'DELETE FROM phaseline.blob_marks',
      'UPDATE phaseline.blobs SET stored_at = stored_at',
      `UPDATE phaseline.blob_mark_progress SET position = 1`,
    ])
      await expect(pools.service.query(statement)).rejects.toThrow(/permission denied/);
    await expect(collectBlobs(pools.service, { graceMs: 60_000 })).rejects.toThrow(/too short/);
    expect(await filterStored(hash)).toEqual([hash]);
  });
});
