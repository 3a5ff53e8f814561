import { expect, inject, it } from 'vitest';
import pg from 'pg';
import { useTestDatabase } from '../testing/store.fixture.js';
import { findExcessRights } from './excess-rights.js';

const pools = useTestDatabase();

it('reports no excess rights for a service, and distinguishes the owner from a superuser', async () => {
  expect(await findExcessRights(pools.service)).toEqual([]);
  expect(await findExcessRights(pools.owner)).toEqual(['it owns the log']);
  const url = new URL(inject('testServer').superuserUrl);
  url.pathname = new URL(pools.database.ownerUrl).pathname;
  const superuser = new pg.Client({ connectionString: url.href });
  await superuser.connect();
  expect(await findExcessRights(superuser)).toEqual(['it is a superuser']);
  await superuser.end();
});

it('reports a right that was granted to the login directly', async () => {
  const client = await pools.owner.connect();
  const { username } = new URL(pools.database.serviceUrl);
  await client.query(`GRANT DELETE ON phaseline.events TO ${pg.escapeIdentifier(username)}`);
  client.release();
  expect(await findExcessRights(pools.service)).toEqual(['it has the right to DELETE on events']);
});
