import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventStore, MasterKeys } from '@phaseline/event-store';
import { expect, it } from 'vitest';
import { useDoctorHome } from '../testing/doctor-home.fixture.js';
import { encryption } from './encryption.js';

const home = useDoctorHome(encryption);
const { run } = home;

it('reports encrypted jobs whose keys cannot be unwrapped here, and why', async () => {
  expect(await run()).toEqual([['ok', 'no job is encrypted, or all are erased']]);
  const key = MasterKeys.generate();
  const keys = MasterKeys.parse(key);
  const store = new EventStore(home.owner, { encryption: { masterKeys: keys, redact: () => ({}) } });
  const jobs = ['01234567-89ab-8def-8123-0123456789ab', '01234567-89ab-8def-8123-0123456789ac'];
  for (const job of jobs) await store.blobs.forJob(job).put(Buffer.from('x'));

  const id = keys.ids[0]!;
  expect(await run()).toEqual([
    ['fail', `2 encrypted jobs cannot be decrypted: the master key ${id} is not configured here`],
  ]);
  expect(await run({ PHASELINE_MASTER_KEY: MasterKeys.generate() })).toEqual([['fail', expect.stringContaining(id)]]);
  expect(await run({ PHASELINE_MASTER_KEY: 'nonsense' })).toEqual([
    ['fail', expect.stringContaining('cannot be read')],
  ]);
  expect(await run({ PHASELINE_MASTER_KEY: `${MasterKeys.generate()},${key}` })).toEqual([
    ['ok', 'the keys of 2 encrypted jobs unwrap with 1 master key'],
  ]);
  await writeFile(join(home.folder, 'master-key'), `${key}\n`);
  expect(await run()).toEqual([['ok', expect.stringContaining('2 encrypted jobs')]]);

  await home.owner.query(
    'UPDATE phaseline.job_keys AS k SET wrapped = o.wrapped FROM phaseline.job_keys AS o WHERE k.correlation_id = $1 AND o.correlation_id = $2',
    jobs,
  );
  expect(await run()).toEqual([['fail', expect.stringContaining(`the keys of ${jobs[0]} do not unwrap`)]]);
});
