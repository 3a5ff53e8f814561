import { createPool } from '@phaseline/event-store';
import { createTestDatabase } from '@phaseline/testing';
import { expect, it } from 'vitest';
import { closeAll } from '../testing/doctor-target.fixture.js';
import { useDoctorDatabase } from '../testing/doctor-database.fixture.js';
import { clocks } from './clocks.js';
import { database as databaseCheck } from './database.js';
import { deadLetters } from './dead-letters.js';
import { deadProcesses } from './dead-processes.js';
import { migrations } from './migrations.js';
import { readers } from './readers.js';
import { git } from './git.js';
import { readiness } from './readiness.js';
import { rights } from './rights.js';
import { anchors } from './anchors.js';
import { services } from './services.js';
import { quarantinedJobs } from './quarantined-jobs.js';
import { snapshots } from './snapshots.js';
import { transactions } from './transactions.js';
import { versions } from './versions.js';

const doctor = useDoctorDatabase();
const { run, startProcess } = doctor;

it('a healthy database passes every check', async () => {
  for (const service of ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'])
    await startProcess(`${service}-1`, service);
  for (const check of [
    databaseCheck,
    migrations,
    rights,
    services,
    versions,
    readiness,
    git,
    clocks,
    deadProcesses,
    deadLetters,
  ]) {
    expect(await run(check), check.name).toMatchObject([{ level: 'ok' }]);
  }
  for (const check of [quarantinedJobs, anchors, snapshots, transactions, readers])
    expect(await run(check), check.name).toMatchObject([{ level: 'ok' }]);
});

it('database: fails if too old', async () => {
  expect(await run(databaseCheck, { postgresMajor: 99 })).toMatchObject([
    {
      level: 'fail',
      text: expect.stringMatching(/is PostgreSQL 18\.\d.*; version 99 is required/),
      remedy: expect.any(String),
    },
  ]);
});

it('database: fails if unreachable, and other checks are skipped', async () => {
  const url = new URL(doctor.database.serviceUrl);
  url.port = '1';
  const [finding] = await run(databaseCheck, {}, url.href);
  expect(finding).toMatchObject({ level: 'fail', text: expect.stringContaining('ECONNREFUSED') });
  expect(JSON.stringify(finding)).not.toContain(url.password);
  expect(await run(rights, {}, url.href)).toMatchObject([{ level: 'skipped' }]);
});

it('migrations: reports missing, edited and newer ones', async () => {
  const other = await createTestDatabase();
  const pool = createPool(other.ownerUrl, { max: 1 });
  await pool.query(`DELETE FROM phaseline.migrations WHERE name LIKE '000009%'`);
  await pool.query(`UPDATE phaseline.migrations SET hash = 'x' WHERE name LIKE '000001%'`);
  await pool.query(`INSERT INTO phaseline.migrations (name, hash) VALUES ('999999_future.sql', 'x')`);
  expect(await run(migrations, {}, other.serviceUrl)).toMatchObject([
    {
      level: 'fail',
      text: expect.stringContaining('lacks 000009_'),
      remedy: expect.stringContaining('phaseline migrate'),
    },
    { level: 'fail', text: expect.stringContaining('000001_event_log.sql was edited') },
    { level: 'warn', text: expect.stringContaining('999999_future.sql') },
  ]);
  await pool.query('DROP SCHEMA phaseline CASCADE');
  expect(await run(migrations, {}, other.serviceUrl)).toMatchObject([{ level: 'fail' }]);
  expect(await run(rights, {}, other.serviceUrl)).toMatchObject([{ level: 'skipped' }]);
  await closeAll();
  await pool.end();
  await other.drop();
});

it('rights: reports a login that may change the log, and a disabled guard', async () => {
  expect(await run(rights, {}, doctor.database.ownerUrl)).toMatchObject([
    { level: 'warn', text: expect.stringContaining('may change the log') },
  ]);
  const trigger = 'TRIGGER events_are_append_only';
  await doctor.owner.query(`ALTER TABLE phaseline.events DISABLE ${trigger}`);
  expect(await run(rights)).toMatchObject([{ level: 'fail', text: expect.stringContaining('events_are_append_only') }]);
  await doctor.owner.query(`ALTER TABLE phaseline.events ENABLE ALWAYS ${trigger}`);
});

it('rights: reports missing privileges', async () => {
  await doctor.owner.query('REVOKE INSERT ON phaseline.blobs FROM phaseline_service');
  await doctor.owner.query('REVOKE EXECUTE ON FUNCTION phaseline.append_one FROM phaseline_service');
  expect(await run(rights)).toMatchObject([
    {
      level: 'fail',
      text: expect.stringMatching(/lacks privileges: .*INSERT on blobs.*EXECUTE on append_one/),
      remedy: expect.stringContaining('GRANT phaseline_service TO'),
    },
  ]);
  await doctor.owner.query('GRANT INSERT ON phaseline.blobs TO phaseline_service');
  await doctor.owner.query('GRANT EXECUTE ON FUNCTION phaseline.append_one TO phaseline_service');
});
