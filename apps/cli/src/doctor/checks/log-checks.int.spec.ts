import { randomUUID } from 'node:crypto';
import { createPool, Subscription } from '@phaseline/event-store';
import { jobStream, type JobEvent } from '@phaseline/domain';
import { buildJobAppend, Snapshots, StreamFolds } from '@phaseline/repository';
import { createTestDatabase } from '@phaseline/testing';
import { expect, it } from 'vitest';
import { jobSubmitted as exampleJob } from '../../testing/example-job.js';
import { useDoctorDatabase } from '../testing/doctor-database.fixture.js';
import { mirror } from './mirror.js';
import { readers } from './readers.js';
import { anchors } from './anchors.js';
import { snapshots } from './snapshots.js';
import { transactions } from './transactions.js';

const doctor = useDoctorDatabase();
const { append, run, startProcess } = doctor;

it('transactions: reports a log that was copied from a server with higher transaction ids', async () => {
  const other = await createTestDatabase();
  const pool = createPool(other.ownerUrl, { max: 1 });
  await pool.query(
    `INSERT INTO phaseline.events (stream_id, version, event_id, type, schema_version, data, metadata, correlation_id, transaction_id, hash, recorded_at)
     VALUES ('s', 1, gen_random_uuid(), 'T', 1, '{}', '{}', 'c', '18000000000000000000', sha256('h'), now())`,
  );
  expect(await run(transactions, {}, other.serviceUrl)).toMatchObject([
    { level: 'fail', text: expect.stringContaining('it was copied from another server') },
  ]);
  await pool.end();
  await other.drop();
});

it('transactions: reports the pid of the one that holds back every reader, even to an unprivileged login', async () => {
  const open = createPool(doctor.database.ownerUrl, { max: 1, applicationName: 'a long report' });
  const client = await open.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  try {
    await client.query('BEGIN; CREATE TEMPORARY TABLE report (n integer)');
    await append();
    // Transactions of other specs on this server may be older for a moment.
    await expect
      .poll(() => run(transactions, { transactionAgeMs: 1 }), { timeout: 20_000 })
      .toMatchObject([
        {
          level: 'fail',
          text: expect.stringMatching(new RegExp(`pid ${rows[0]!.pid} of \\S+ \\(a long report, .*events? held back`)),
          remedy: expect.stringContaining(`pg_terminate_backend(${rows[0]!.pid})`),
        },
      ]);
    expect(await run(transactions)).toMatchObject([{ level: 'ok' }]);
  } finally {
    // Left open, it would hold back the tails of every other spec on this server.
    client.release(true);
    await open.end();
  }
});

it('readers: reports one that is stuck, and partitions without a reader', async () => {
  const reader = new Subscription(doctor.owner, {
    name: 'reader',
    partitions: 1,
    replicaId: 'me',
    pollMs: 10,
    handle: () => Promise.reject(new Error('no')),
  });
  await reader.start();
  await append();
  await expect
    .poll(() => run(readers, { readerLagMs: 1 }), { timeout: 10_000 })
    .toMatchObject([{ level: 'fail', text: expect.stringMatching(/^reader is .* behind the log \(me\)$/) }]);
  await reader.close();
  expect(await run(readers)).toMatchObject([
    { level: 'warn', text: '1 partition of reader without a reader: no orchestrator is running' },
  ]);
  await startProcess('orchestrator-1', 'orchestrator');
  expect(await run(readers)).toMatchObject([{ level: 'fail' }]);
});

it('readers: warns about one that is catching up while its checkpoint advances', async () => {
  for (let n = 0; n < 200; n += 1) await append();
  const reader = new Subscription(doctor.owner, {
    name: 'long-log',
    partitions: 1,
    replicaId: 'me',
    pollMs: 10,
    pageSize: 1,
    handle: () => new Promise((resolve) => setTimeout(resolve, 100)),
  });
  await reader.start();
  expect(await run(readers, { readerLagMs: 1 })).toMatchObject([
    {
      level: 'warn',
      text: expect.stringMatching(/^long-log is catching up with the log: [\d,]+ of [\d,]+ events$/),
      remedy: 'wait until it has caught up',
    },
  ]);
  await reader.close();
});

it('mirror: reports a file that could not be written, with the reason', async () => {
  expect(await run(mirror)).toMatchObject([{ level: 'ok' }]);
  await doctor.owner.query(
    `INSERT INTO phaseline.unmirrored_files (mirror, job_id, path, location, reason)
     VALUES ('mirror-1', 'job', 'output/a.md', 'here:/data', 'its name is too long')`,
  );
  expect(await run(mirror)).toMatchObject([
    { level: 'warn', text: 'output/a.md of job job is not in the mirror here:/data: its name is too long' },
  ]);
  await doctor.owner.query('TRUNCATE phaseline.unmirrored_files');
});

it('anchors: reports a missing anchor, a gap, and a stream head that the log lost', async () => {
  const streamId = await append();
  expect(await run(anchors, { anchorAgeMs: 0 })).toMatchObject([
    { level: 'warn', text: expect.stringMatching(/^there is no anchor/), remedy: 'phaseline audit anchor' },
  ]);
  const zero = `decode(repeat('00', 32), 'hex')`;
  await doctor.owner.query(`INSERT INTO phaseline.audit_keys (key_id, public_key) VALUES (sha256('k'), 'k')`);
  await doctor.owner.query(
    `INSERT INTO phaseline.anchors (number, previous_hash, anchored_at, key_id, horizon, position, streams, events, heads, root, hash, signature)
     VALUES (2, ${zero}, now(), sha256('k'), '999999999', 1, 1, 1, 1, ${zero}, ${zero}, ${zero})`,
  );
  await doctor.owner.query(
    `INSERT INTO phaseline.anchored_heads (anchor, stream_id, version, hash) VALUES (2, $1, 1, ${zero})`,
    [streamId],
  );
  expect(await run(anchors)).toMatchObject([
    { level: 'fail', text: 'the chain of anchors is broken in 1 place' },
    { level: 'fail', text: expect.stringContaining('does not hold 1 stream head that anchor 2 covers') },
  ]);
});

it('readers: reports jobs for which the read models do not advance', async () => {
  await doctor.owner.query(
    `INSERT INTO phaseline.read_models_behind (job_id, position, type, schema_version) VALUES ($1, 1, 'JobPaused', 99)`,
    [randomUUID()],
  );
  expect(await run(readers)).toMatchObject([
    {
      level: 'warn',
      text: expect.stringMatching(/^the read models do not advance for 1 job .*\(JobPaused, version 99\)/),
    },
  ]);
  await doctor.owner.query('TRUNCATE phaseline.read_models_behind');
});

it('snapshots: reports one that differs from the log, and --fix deletes it', async () => {
  const jobId = randomUUID();
  const event = exampleJob() as Extract<JobEvent, { type: 'JobSubmitted' }>;
  await doctor.store.append(
    buildJobAppend(jobId, 0, [{ ...event, data: { ...event.data, jobId } }], {
      actor: { id: 'spec', kind: 'process' },
    }),
  );
  const table = new Snapshots(doctor.owner);
  const { hash } = (await doctor.store.readAt(jobStream(jobId), 1))!;
  const state = (await new StreamFolds(doctor.store).foldJob(jobId, 1))!;
  await table.store([{ streamId: jobStream(jobId), version: 1, hash, state }]);
  expect(await run(snapshots)).toMatchObject([
    { level: 'ok', text: expect.stringMatching(/; 1 verified against the log$/) },
  ]);
  await table.deleteAll(jobId);
  await table.store([{ streamId: jobStream(jobId), version: 1, hash, state: { ...state, status: 'failed' } }]);
  const [finding] = await run(snapshots);
  expect(finding).toMatchObject({
    level: 'fail',
    text: expect.stringContaining(`(job-${jobId} at version 1)`),
    remedy: expect.stringContaining('phaseline snapshots delete'),
  });
  expect(await finding!.fix!()).toMatch(/^1 snapshot of 1 job deleted/);
  expect(await run(snapshots)).toMatchObject([{ level: 'ok' }]);
});

it('snapshots: reports one that does not match an event in the log', async () => {
  const streamId = await append();
  await doctor.owner.query(
    `INSERT INTO phaseline.snapshots (stream_id, version, fold_version, hash, state) VALUES ($1, 1, 'x', sha256('other'), '{}')`,
    [streamId],
  );
  expect(await run(snapshots)).toMatchObject([{ level: 'warn', text: expect.stringMatching(/^1 of 1 snapshot/) }]);
});
