import { expect, it } from 'vitest';
import { kyselyOver } from '../database/kysely.js';
import { useTestDatabase } from '../testing/store.fixture.js';
import { Leases } from './leases.js';
import { LeaseLost } from './tail-errors.js';

const pools = useTestDatabase();

it('a replica that claims its own partition again cannot write the checkpoint of its former lease', async () => {
  const db = kyselyOver(pools.service);
  const leases = new Leases(db, { name: 'fenced', partitions: 1, owner: 'one', leaseMs: 60_000 });
  await leases.prepare();
  const [former] = await leases.claim(1, []);
  const [current] = await leases.claim(1, []);
  expect(current).toMatchObject({ partition: 0 });
  await expect(leases.save(db, former!, { transactionId: '7', position: 7 })).rejects.toBeInstanceOf(LeaseLost);
  expect(await leases.renew([former!])).toEqual(new Set());
  await leases.save(db, current!, { transactionId: '8', position: 8 });
  expect(await leases.renew([current!])).toEqual(new Set([0]));
  // A renewal on its way may be older than a checkpoint that was saved meanwhile.
  const [again] = await leases.claim(1, []);
  expect(again?.cursor).toEqual({ transactionId: '8', position: 8 });
});
