import { expect, it } from 'vitest';
import { createKysely } from '../database/kysely.js';
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
