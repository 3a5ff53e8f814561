import { expect, inject, it } from 'vitest';
import pg from 'pg';
import { useTestDatabase } from '../testing/store.fixture.js';
import { excessRights } from './excess-rights.js';

const pools = useTestDatabase();

it('the login of the services has none; those of the owner and of a superuser are told apart', async () => {
  expect(await excessRights(pools.service)).toEqual([]);
  expect(await excessRights(pools.owner)).toEqual(['it owns the log']);
  const url = new URL(inject('testServer').superuserUrl);
  url.pathname = new URL(pools.database.ownerUrl).pathname;
  const superuser = new pg.Client({ connectionString: url.href });
  await superuser.connect();
  expect(await excessRights(superuser)).toEqual(['it is a superuser']);
  await superuser.end();
});

it('a right that was granted beside the role is found', async () => {
  const client = await pools.owner.connect();
  const { username } = new URL(pools.database.serviceUrl);
  await client.query(`GRANT DELETE ON phaseline.events TO ${pg.escapeIdentifier(username)}`);
  client.release();
  expect(await excessRights(pools.service)).toEqual(['it has the right to DELETE on events']);
});
