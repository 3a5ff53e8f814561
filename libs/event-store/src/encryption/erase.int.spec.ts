import { beforeAll, describe, expect, it } from 'vitest';
import { WrongExpectedVersion } from '../append/append-errors.js';
import { verifyChain } from '../chain/verify-chain.js';
import type { EventStore } from '../event-store.js';
import { cutConnections, waitUntil, useTestDatabase } from '../testing/store.fixture.js';
import { ContentErased } from './encryption-errors.js';
import {
  createEncryptedAppend,
  masterKey,
  createEncryptedId,
  createEncryptedStore,
} from '../testing/encrypted.fixture.js';

const pools = useTestDatabase();
let store: EventStore;
beforeAll(() => {
  store = createEncryptedStore(pools.service);
});

const content = Buffer.from('a confidential file');

/** Creates a job with one encrypted event and one file. */
async function createJob(): Promise<{ readonly id: string; readonly hash: string }> {
  const id = createEncryptedId();
  await store.append(createEncryptedAppend(id, [{ data: { text: 'confidential', count: 1 } }]));
  return { id, hash: await store.blobs.forJob(id).put(content) };
}
const erasureAppend = (id: string) =>
  createEncryptedAppend(id, [{ type: 'Open', data: { by: 'ada' } }], { expectedVersion: 1 });
const keyOf = async (id: string) =>
  (
    await pools.owner.query<{ wrapped: Buffer | null }>(
      'SELECT wrapped FROM phaseline.job_keys WHERE correlation_id = $1',
      [id],
    )
  ).rows[0]?.wrapped;
const countFiles = async (id: string) =>
  (await pools.owner.query('SELECT FROM phaseline.encrypted_blobs WHERE correlation_id = $1', [id])).rowCount;

describe('erasing', () => {
  it('leaves only the redacted events, and destroys key and files', async () => {
    const { id, hash } = await createJob();
    await store.erase(id, erasureAppend(id));
    expect((await store.read(`stream-${id}`)).map(({ data }) => data)).toEqual([
      { text: '-', count: 1 },
      { by: 'ada' },
    ]);
    expect((await store.readCorrelation(id, { texts: 'whole' }))[0]!.data).toEqual({ text: '-', count: 1 });
    await expect(store.blobs.forJob(id).get(hash)).rejects.toThrow(ContentErased);
    expect(await keyOf(id)).toBeNull();
    expect(await countFiles(id)).toBe(0);
    expect(await verifyChain(pools.service)).toMatchObject({ problems: [] });
    await store.erase(id, undefined);
    expect(await keyOf(id)).toBeNull();
  });

  it('is atomic: it has no effect if it is interrupted, and succeeds if it is repeated', async () => {
    const { id, hash } = await createJob();
    const rival = await pools.owner.connect();
    try {
      // Locks the row of the key, so that the erasure blocks after its event was appended but not committed.
      await rival.query('BEGIN');
      await rival.query('SELECT FROM phaseline.job_keys WHERE correlation_id = $1 FOR UPDATE', [id]);
      const dying = store.erase(id, erasureAppend(id)).catch((error: unknown) => error);
      await waitUntil(async () =>
        (await cutConnections(pools, 'phaseline', '%erase_job_key%')) > 0 ? true : undefined,
      );
      expect(await dying).toBeInstanceOf(Error);
    } finally {
      await rival.query('ROLLBACK');
      rival.release();
    }
    expect(await store.head(`stream-${id}`)).toMatchObject({ version: 1 });
    expect(await store.blobs.forJob(id).get(hash)).toEqual(content);
    await store.erase(id, erasureAppend(id));
    expect(await store.head(`stream-${id}`)).toMatchObject({ version: 2 });
    expect(await keyOf(id)).toBeNull();
  });

  it('destroys nothing if the expected version is wrong', async () => {
    const { id } = await createJob();
    await store.append(createEncryptedAppend(id, [{ data: { text: 'meanwhile' } }]));
    await expect(store.erase(id, erasureAppend(id))).rejects.toThrow(WrongExpectedVersion);
    expect(await keyOf(id)).not.toBeNull();
    expect(await countFiles(id)).toBe(1);
  });

  it('takes effect in a process with a cached key when the cache expires', async () => {
    const { id } = await createJob();
    const other = createEncryptedStore(pools.service, masterKey, 50);
    expect((await other.read(`stream-${id}`))[0]!.data['text']).toBe('confidential');
    await store.erase(id, erasureAppend(id));
    expect(await waitUntil(async () => (await other.read(`stream-${id}`))[0]!.data['text'] === '-' || undefined)).toBe(
      true,
    );
  });
});

describe('after an erasure', () => {
  it('nothing can be added, not even by a process with a cached key', async () => {
    const { id } = await createJob();
    const late = createEncryptedStore(pools.service);
    await late.read(`stream-${id}`);
    await store.erase(id, erasureAppend(id));
    await expect(late.blobs.forJob(id).put(Buffer.from('late'))).rejects.toThrow(ContentErased);
    expect(await countFiles(id)).toBe(0);
    await expect(store.append(createEncryptedAppend(id, [{ data: { text: 'late' } }]))).rejects.toThrow(ContentErased);
  });

  it('a service cannot create or restore a key', async () => {
    const { id } = await createJob();
    const before = await keyOf(id);
    await store.erase(id, erasureAppend(id));
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
      'DELETE FROM phaseline.encrypted_blobs',
      'UPDATE phaseline.encrypted_blobs SET content = name',
    ])
      await expect(pools.service.query(forbidden)).rejects.toThrow(/permission denied/);
  });
});
