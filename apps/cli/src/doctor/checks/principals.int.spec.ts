import { assertReadable } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import { Principals, type Caller } from '@phaseline/identity';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { closeAll, openTestTarget, runCheck } from '../testing/doctor-target.fixture.js';
import { principals } from './principals.js';

const admin: Caller = { id: 'root', kind: 'person', roles: [{ role: 'admin', tenant: '*' }] };
let database: TestDatabase;
let owner: ReturnType<typeof createPool>;
let store: EventStore;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool(database.ownerUrl, { max: 2 });
  store = new EventStore(owner, { checkEvent: assertReadable });
});
afterEach(closeAll);
afterAll(async () => {
  await store.close();
  await owner.end();
  await database.drop();
});

async function run(): Promise<readonly unknown[]> {
  const target = await openTestTarget({ DATABASE_URL: database.serviceUrl });
  return (await runCheck(target, principals)).map(({ level, text }) => [
    level,
    text.replace(/^the tables of .*?: /, ''),
  ]);
}

it('reports each row of a principal, role or key that is not what the log says', async () => {
  const manager = new Principals(owner, store);
  for (const id of ['ada', 'ben']) {
    await manager.create(admin, id, 'person');
    await manager.grant(admin, id, 'viewer', 'acme');
  }
  await manager.grant(admin, 'ada', 'operator', 'beta');
  await manager.disable(admin, 'ben', 'left');
  const { stored } = await manager.createKey(admin, 'ada', { label: 'laptop' });
  const lost = await manager.createKey(admin, 'ada', { label: 'lost' });
  await manager.revokeKey(admin, lost.stored.prefix, 'lost');
  expect(await run()).toEqual([['ok', 'principals, roles and keys equal the log']]);

  await owner.query(`UPDATE phaseline.principal_keys SET revoked_at = NULL WHERE prefix = $1`, [lost.stored.prefix]);
  await owner.query(`INSERT INTO phaseline.principal_roles VALUES ('ada', 'admin', '*', now(), 'root')`);
  await owner.query(`DELETE FROM phaseline.principal_roles WHERE principal_id = 'ada' AND tenant = 'beta'`);
  await owner.query(
    `INSERT INTO phaseline.principal_keys (prefix, principal_id, digest, label, created_at, created_by)
     SELECT '00000000', 'ada', digest, '', now(), 'root' FROM phaseline.principal_keys WHERE prefix = $1`,
    [stored.prefix],
  );
  await owner.query(`UPDATE phaseline.principals SET disabled_at = NULL WHERE id = 'ben'`);
  await owner.query(`INSERT INTO phaseline.principals VALUES ('eve', 'person', now(), 'root')`);
  expect(await run()).toEqual([
    ['fail', 'the role operator of ada in beta is missing'],
    ['fail', 'the role admin of ada in * is not in the log'],
    ['fail', `the key ${lost.stored.prefix} of ada is not as in the log`],
    ['fail', 'the key 00000000 of ada is not in the log'],
    ['fail', 'the principal ben is not as in the log'],
    ['fail', 'the principal eve is not in the log'],
  ]);
});
