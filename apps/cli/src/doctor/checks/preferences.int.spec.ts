import { PreferenceStore } from '@phaseline/identity';
import { expect, it } from 'vitest';
import { useDoctorDatabase } from '../testing/doctor-database.fixture.js';
import { preferences } from './preferences.js';

const actor = { id: 'ada', kind: 'person' } as const;
const doctor = useDoctorDatabase();

it('preferences: reports a table that differs from the log, and builds it again', async () => {
  const store = new PreferenceStore(doctor.owner, doctor.store);
  await store.change({ user: 'ada', tenant: 'acme' }, { tone: 'friendly' }, { actor });
  expect(await doctor.run(preferences)).toMatchObject([{ level: 'ok' }]);
  await doctor.owner.query(`UPDATE phaseline.interaction_policies SET preferences = '{"tone":"clinical"}'`);
  const [finding] = await doctor.run(preferences);
  expect(finding).toMatchObject({ level: 'fail', text: expect.stringContaining('of ada@acme are not as in the log') });
  expect(await finding!.fix!()).toBe('built the preferences of 1 person');
  expect(await doctor.run(preferences)).toMatchObject([{ level: 'ok' }]);
  expect((await store.read({ user: 'ada', tenant: 'acme' })).values).toEqual({ tone: 'friendly' });
});
