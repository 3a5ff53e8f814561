import { sql, type Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { createKysely } from '../database/kysely.js';
import type { EventStoreTables } from '../database/tables.js';
import { useTestDatabase } from '../testing/store.fixture.js';
import { PartitionLeases, type ClaimedPartition } from './partition-leases.js';
import { LeaseLost } from './tail-errors.js';
import { renewLeases } from './renew-leases.js';

const pools = useTestDatabase();

it('a replica that claims its own partition again cannot save a checkpoint with its former lease', async () => {
  const db = createKysely(pools.service);
  const options = { name: 'fenced', partitions: 1, owner: 'one', leaseMs: 60_000 };
  const leases = new PartitionLeases(db, options);
  const renew = async (held: ClaimedPartition) =>
    (await renewLeases(db, [{ ...options, held: [held] }])).readers.map((reader) => [...reader.renewedPartitions]);
  await leases.prepare();
  const [former] = await leases.claim(1, []);
  const [current] = await leases.claim(1, []);
  expect(current).toMatchObject({ partition: 0 });
  await expect(leases.save(db, former!, { transactionId: '7', position: 7 })).rejects.toBeInstanceOf(LeaseLost);
  expect(await renew(former!)).toEqual([[]]);
  await leases.save(db, current!, { transactionId: '8', position: 8 });
  expect(await renew(current!)).toEqual([[0]]);
  // The renewal had an older cursor than the saved checkpoint, and did not overwrite it.
  const [reclaimed] = await leases.claim(1, []);
  expect(reclaimed?.cursor).toEqual({ transactionId: '8', position: 8 });
});

it('a checkpoint does not wait for the disk, with all writes of its transaction, but later transactions do', async () => {
  const leases = new PartitionLeases(createKysely(pools.service), {
    ...{ name: 'quick', partitions: 1, owner: 'one', leaseMs: 60_000 },
  });
  await leases.prepare();
  const [lease] = await leases.claim(1, []);
  const readSetting = async (db: Kysely<EventStoreTables>): Promise<string | undefined> =>
    (await sql<{ synchronous_commit: string }>`SHOW synchronous_commit`.execute(db)).rows[0]?.synchronous_commit;
  await createKysely(pools.service)
    .connection()
    .execute(async (db) => {
      // The server of the specs never waits for the disk.
      await sql`SET synchronous_commit = on`.execute(db);
      try {
        await db.transaction().execute(async (transaction) => {
          await leases.save(transaction, lease!, { transactionId: '8', position: 8 });
          expect(await readSetting(transaction)).toBe('off');
        });
        await leases.save(db, lease!, { transactionId: '9', position: 9 });
        expect(await readSetting(db)).toBe('on');
      } finally {
        await sql`RESET synchronous_commit`.execute(db);
      }
    });
});
