import { assertReadable } from '@phaseline/domain';
import { createPool, EventStore, MasterKeys } from '@phaseline/event-store';
import { SecretStore } from '@phaseline/identity';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { closeAll, openTestTarget, runCheck } from '../testing/doctor-target.fixture.js';
import { secrets } from './secrets.js';

const VALUE = 'the value of a secret in a spec';
const actor = { id: 'ada', kind: 'person' } as const;
let database: TestDatabase;
let owner: ReturnType<typeof createPool>;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool(database.ownerUrl, { max: 2 });
  folder = await mkdtemp(join(tmpdir(), 'phaseline-secrets-'));
});
afterEach(closeAll);
afterAll(async () => {
  await owner.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function run(env: NodeJS.ProcessEnv) {
  const target = await openTestTarget({ DATABASE_URL: database.serviceUrl, PHASELINE_HOME: folder, ...env });
  return (await runCheck(target, secrets)).map(({ level, text }) => [level, text]);
}

it('reports every secret that the present master keys do not open, and every difference from the log, without values', async () => {
  const [older, newer] = [MasterKeys.generate(), MasterKeys.generate()];
  const log = new EventStore(owner, { checkEvent: assertReadable });
  const store = new SecretStore(owner, log, MasterKeys.parse(older));
  await store.put({ tenant: 'acme' }, 'TOKEN', VALUE, actor);
  await store.put({ tenant: 'acme', agent: 'writer' }, 'OTHER', VALUE, actor);
  const allGood = [['ok', 'all secrets can be decrypted and equal the log']];
  const unreadable = (text: string) => ['fail', expect.stringContaining(`the secret ${text} cannot be decrypted`)];

  expect(await run({ PHASELINE_MASTER_KEY: older })).toEqual(allGood);
  expect(await run({ PHASELINE_MASTER_KEY: `${newer},${older}` })).toEqual(allGood);
  const both = [unreadable('OTHER of tenant acme for agent writer'), unreadable('TOKEN of tenant acme')];
  expect(await run({ PHASELINE_MASTER_KEY: newer })).toEqual(both);
  expect(await run({})).toEqual(both);

  // A row that was copied to another place does not open there.
  await owner.query(
    `UPDATE phaseline.secrets AS s SET encrypted = o.encrypted FROM phaseline.secrets AS o WHERE s.name = 'TOKEN' AND o.name = 'OTHER'`,
  );
  const damaged = await run({ PHASELINE_MASTER_KEY: older });
  expect(damaged).toEqual([unreadable('TOKEN of tenant acme')]);
  await owner.query(`DELETE FROM phaseline.secrets WHERE name = 'TOKEN'`);
  const different = await run({ PHASELINE_MASTER_KEY: older });
  expect(different).toEqual([['fail', expect.stringContaining('differs from the log')]]);
  expect(JSON.stringify([damaged, different])).not.toContain(VALUE);
});
