import { beforeAll, describe, expect, it } from 'vitest';
import { WrongExpectedVersion } from '../append/append-errors.js';
import { verifyChain } from '../chain/verify-chain.js';
import type { EventStore } from '../event-store.js';
import { cutConnections, eventually, useTestDatabase } from '../testing/store.fixture.js';
import { ContentErased } from './sealed-errors.js';
import { appendOf, masterKey, sealedId, sealedStore } from '../testing/sealed.fixture.js';

const pools = useTestDatabase();
let store: EventStore;
beforeAll(() => {
  store = sealedStore(pools.service);
});

const content = Buffer.from('a confidential file');

/** A job of one sealed event and one file. */
async function job(): Promise<{ readonly id: string; readonly hash: string }> {
  const id = sealedId();
  await store.append(appendOf(id, [{ data: { text: 'confidential', count: 1 } }]));
  return { id, hash: await store.blobs.of(id).put(content) };
}
const erased = (id: string) => appendOf(id, [{ type: 'Open', data: { by: 'ada' } }], { expectedVersion: 1 });
const keyOf = async (id: string) =>
  (
    await pools.owner.query<{ wrapped: Buffer | null }>(
      'SELECT wrapped FROM phaseline.job_keys WHERE correlation_id = $1',
      [id],
    )
  ).rows[0]?.wrapped;
const files = async (id: string) =>
  (await pools.owner.query('SELECT FROM phaseline.sealed_blobs WHERE correlation_id = $1', [id])).rowCount;

describe('erasing', () => {
  it('leaves the events as everybody saw them, and nothing that opens', async () => {
    const { id, hash } = await job();
    await store.erase(id, erased(id));
    expect((await store.read(`stream-${id}`)).map(({ data }) => data)).toEqual([
      { text: '-', count: 1 },
      { by: 'ada' },
    ]);
    expect((await store.readCorrelation(id, { texts: 'whole' }))[0]!.data).toEqual({ text: '-', count: 1 });
    await expect(store.blobs.of(id).get(hash)).rejects.toThrow(ContentErased);
    expect(await keyOf(id)).toBeNull();
    expect(await files(id)).toBe(0);
    expect(await verifyChain(pools.service)).toMatchObject({ problems: [] });
    await store.erase(id, undefined);
    expect(await keyOf(id)).toBeNull();
  });

  it('that dies between its two halves has done neither, and asked again does both', async () => {
    const { id, hash } = await job();
    const rival = await pools.owner.connect();
    try {
      // Holds the row of the key, so that the erasure stands still with its event appended and not committed.
      await rival.query('BEGIN');
      await rival.query('SELECT FROM phaseline.job_keys WHERE correlation_id = $1 FOR UPDATE', [id]);
      const dying = store.erase(id, erased(id)).catch((error: unknown) => error);
      await eventually(async () =>
        (await cutConnections(pools, 'phaseline', '%erase_job_key%')) > 0 ? true : undefined,
      );
      expect(await dying).toBeInstanceOf(Error);
    } finally {
      await rival.query('ROLLBACK');
      rival.release();
    }
    expect(await store.head(`stream-${id}`)).toMatchObject({ version: 1 });
    expect(await store.blobs.of(id).get(hash)).toEqual(content);
    await store.erase(id, erased(id));
    expect(await store.head(`stream-${id}`)).toMatchObject({ version: 2 });
    expect(await keyOf(id)).toBeNull();
  });

  it('for a version that has passed destroys nothing', async () => {
    const { id } = await job();
    await store.append(appendOf(id, [{ data: { text: 'meanwhile' } }]));
    await expect(store.erase(id, erased(id))).rejects.toThrow(WrongExpectedVersion);
    expect(await keyOf(id)).not.toBeNull();
    expect(await files(id)).toBe(1);
  });

  it('reaches a process that still keeps the key, once that asks again', async () => {
    const { id } = await job();
    const other = sealedStore(pools.service, masterKey, 50);
    expect((await other.read(`stream-${id}`))[0]!.data['text']).toBe('confidential');
    await store.erase(id, erased(id));
    expect(await eventually(async () => (await other.read(`stream-${id}`))[0]!.data['text'] === '-' || undefined)).toBe(
      true,
    );
  });
});

describe('behind an erasure', () => {
  it('nothing can be added, also by a process that still keeps the key', async () => {
    const { id } = await job();
    const late = sealedStore(pools.service);
    await late.read(`stream-${id}`);
    await store.erase(id, erased(id));
    await expect(late.blobs.of(id).put(Buffer.from('late'))).rejects.toThrow(ContentErased);
    expect(await files(id)).toBe(0);
    await expect(store.append(appendOf(id, [{ data: { text: 'late' } }]))).rejects.toThrow(ContentErased);
  });

  it('no key comes back, whoever asks', async () => {
    const { id } = await job();
    const before = await keyOf(id);
    await store.erase(id, erased(id));
    for (const [text, values] of [
      ['SELECT phaseline.create_job_key($1, $2, $3)', [id, before, '0'.repeat(16)]],
      ['SELECT phaseline.rewrap_job_key($1, $2, $2, $3)', [id, before, '0'.repeat(16)]],
    ] as const)
      await pools.service.query(text, [...values]);
    expect(await keyOf(id)).toBeNull();
    for (const forbidden of [
      'UPDATE phaseline.job_keys SET wrapped = NULL',
      'DELETE FROM phaseline.job_keys',
      'TRUNCATE phaseline.job_keys CASCADE',
      `INSERT INTO phaseline.job_keys (correlation_id, master_key_id) VALUES ('x', 'y')`,
      'DELETE FROM phaseline.sealed_blobs',
      'UPDATE phaseline.sealed_blobs SET content = name',
    ])
      await expect(pools.service.query(forbidden)).rejects.toThrow(/permission denied/);
  });
});
