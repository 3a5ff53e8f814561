import { assertReadable } from '@phaseline/domain';
import { EventStore, MasterKeys } from '@phaseline/event-store';
import { SecretStore } from '@phaseline/identity';
import { expect, it } from 'vitest';
import { useDoctorHome } from '../testing/doctor-home.fixture.js';
import { secrets } from './secrets.js';

const VALUE = 'the value of a secret in a spec';
const actor = { id: 'ada', kind: 'person' } as const;
const home = useDoctorHome(secrets);
const { run } = home;

it('reports every secret that the present master keys do not open, and every difference from the log, without values', async () => {
  const [older, newer] = [MasterKeys.generate(), MasterKeys.generate()];
  const log = new EventStore(home.owner, { checkEvent: assertReadable });
  const store = new SecretStore(home.owner, log, MasterKeys.parse(older));
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
  await home.owner.query(
    `UPDATE phaseline.secrets AS s SET encrypted = o.encrypted FROM phaseline.secrets AS o WHERE s.name = 'TOKEN' AND o.name = 'OTHER'`,
  );
  const damaged = await run({ PHASELINE_MASTER_KEY: older });
  expect(damaged).toEqual([unreadable('TOKEN of tenant acme')]);
  await home.owner.query(`DELETE FROM phaseline.secrets WHERE name = 'TOKEN'`);
  const different = await run({ PHASELINE_MASTER_KEY: older });
  expect(different).toEqual([['fail', expect.stringContaining('differs from the log')]]);
  expect(JSON.stringify([damaged, different])).not.toContain(VALUE);
});
