import { expect, it } from 'vitest';
import { kyselyOver } from '../database/kysely.js';
import { useTestDatabase } from '../testing/store.fixture.js';
import { Leases, type HeldPosition } from './leases.js';
import { LeaseLost } from './tail-errors.js';
import { tendLeases } from './tend-leases.js';

const pools = useTestDatabase();

it('a replica that claims its own partition again cannot write the checkpoint of its former lease', async () => {
  const db = kyselyOver(pools.service);
  const reader = { name: 'fenced', partitions: 1, owner: 'one', leaseMs: 60_000 };
  const leases = new Leases(db, reader);
  const kept = async (held: HeldPosition) =>
    (await tendLeases(db, [{ ...reader, held: [held] }])).readers.map((one) => [...one.kept]);
  await leases.prepare();
  const [former] = await leases.claim(1, []);
  const [current] = await leases.claim(1, []);
  expect(current).toMatchObject({ partition: 0 });
  await expect(leases.save(db, former!, { transactionId: '7', position: 7 })).rejects.toBeInstanceOf(LeaseLost);
  expect(await kept(former!)).toEqual([[]]);
  await leases.save(db, current!, { transactionId: '8', position: 8 });
  expect(await kept(current!)).toEqual([[0]]);
  // A renewal on its way may be older than a checkpoint that was saved meanwhile.
  const [again] = await leases.claim(1, []);
  expect(again?.cursor).toEqual({ transactionId: '8', position: 8 });
});
