import { randomUUID } from 'node:crypto';
import { RetentionRuns, setRetention } from '@phaseline/orchestration';
import { expect, it } from 'vitest';
import { useDoctorDatabase } from '../testing/doctor-database.fixture.js';
import { retention } from './retention.js';

const actor = { id: 'ada', kind: 'person' } as const;
const doctor = useDoctorDatabase();
const { run } = doctor;

it('retention: reports a failed run, jobs that are due while none starts, and a setting that was written by hand', async () => {
  expect(await run(retention)).toMatchObject([{ level: 'ok', text: 'every tenant keeps everything' }]);
  await setRetention(doctor.store, doctor.owner, 'default', {
    days: { filesDays: 0, vectorsDays: null, learningDays: null, coldDays: null },
    actor,
  });
  expect(await run(retention)).toMatchObject([{ level: 'ok', text: '1 tenant with a setting; there was no run yet' }]);
  const runs = new RetentionRuns(doctor.owner);
  const request = { actor, tenants: 'all', dryRun: false } as const;
  const failed = await runs.request(request);
  await runs.recordStart(failed);
  await runs.recordEnd(failed, 'a file is damaged');
  expect(await run(retention)).toMatchObject([
    {
      level: 'warn',
      text: expect.stringMatching(/failed .* ago: a file is damaged/),
      remedy: 'phaseline retention run',
    },
  ]);
  const completed = await runs.request(request);
  await runs.recordStart(completed);
  const outcome = { kind: 'kept', reason: 'held' } as const;
  await runs.recordResult(completed, { jobId: randomUUID(), tenant: 'default', outcome });
  await runs.recordEnd(completed, undefined);
  expect(await run(retention)).toMatchObject([
    { level: 'ok', text: expect.stringMatching(/; last run .* ago: 0 files removed, 1 job kept$/) },
  ]);
  await doctor.owner.query(
    `INSERT INTO phaseline.jobs_v1 (job_id, tenant, ended_at, submitted_position, position, agent, status, labels, created_at, updated_at,
       open_calls, awaiting_approval, input_tokens, cached_input_tokens, output_tokens, cost_micro_usd, steps)
     SELECT $1, 'default', now() - interval '3 days', 1, 1, 'writer', 'completed', '{}', now(), now(), '[]', '[]', 0, 0, 0, 0, 0`,
    [randomUUID()],
  );
  expect(await run(retention)).toMatchObject([{ level: 'ok' }]);
  expect(await run(retention, { retentionAgeMs: -60_000 })).toMatchObject([
    { level: 'warn', text: expect.stringContaining('1 job may have files or vectors that are due') },
  ]);
  await doctor.owner.query(
    `INSERT INTO phaseline.table_cleanings VALUES ('snapshots', now(), 30, now() - interval '2 days', 0), ('dead_letters', now(), 90, now(), 0)`,
  );
  expect(await run(retention)).toMatchObject([
    { level: 'warn', text: expect.stringMatching(/^old rows of snapshots were not removed for/) },
  ]);
  await doctor.owner.query('TRUNCATE phaseline.table_cleanings');
  await doctor.owner.query('UPDATE phaseline.retention_settings SET files_days = 1');
  expect(await run(retention)).toMatchObject([
    { level: 'fail', text: expect.stringContaining('of default is not what') },
  ]);
});
