import { randomUUID } from 'node:crypto';
import { createPool, EventStore, RELEASE, Subscription } from '@phaseline/event-store';
import { DeadLetters, ProcessRegistry, Quarantine } from '@phaseline/cluster';
import { jobStream, type JobEvent } from '@phaseline/domain';
import { buildJobAppend, Snapshots, StreamFolds } from '@phaseline/repository';
import { RetentionRuns, setRetention } from '@phaseline/orchestration';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { jobSubmitted as exampleJob } from '../../testing/example-job.js';
import type { Limits } from '../limits.js';
import { closeAll, runCheck, openTestTarget } from '../testing/doctor-target.fixture.js';
import type { Check } from '../check.js';
import { clocks } from './clocks.js';
import { database as databaseCheck } from './database.js';
import { deadLetters } from './dead-letters.js';
import { deadProcesses } from './dead-processes.js';
import { migrations } from './migrations.js';
import { mirror } from './mirror.js';
import { readers } from './readers.js';
import { git } from './git.js';
import { readiness } from './readiness.js';
import { sandbox } from './sandbox.js';
import { retention } from './retention.js';
import { rights } from './rights.js';
import { anchors } from './anchors.js';
import { services } from './services.js';
import { quarantinedJobs } from './quarantined-jobs.js';
import { snapshots } from './snapshots.js';
import { transactions } from './transactions.js';
import { versions } from './versions.js';

let database: TestDatabase;
let owner: ReturnType<typeof createPool>;
let store: EventStore;
const registries: ProcessRegistry[] = [];
const actor = { id: 'ada', kind: 'person' } as const;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool(database.ownerUrl, { max: 4 });
  store = new EventStore(owner);
});
beforeEach(() =>
  owner.query(
    'TRUNCATE phaseline.processes, phaseline.dead_letters, phaseline.quarantine, phaseline.subscriptions, phaseline.subscription_members',
  ),
);
afterEach(async () => {
  for (const registry of registries.splice(0)) await registry.close();
  await closeAll();
});
afterAll(async () => {
  await store.close();
  await owner.end();
  await database.drop();
});

/** Runs a check with the login of the services. */
async function run(check: Check, limits: Partial<Limits> = {}, url = database.serviceUrl) {
  return runCheck(await openTestTarget({ DATABASE_URL: url }, limits), check);
}

async function startProcess(
  processId: string,
  service: string,
  options: ConstructorParameters<typeof ProcessRegistry>[1] = {},
  gitVersion?: string,
) {
  const registry = new ProcessRegistry(owner, { version: RELEASE, ...options });
  registries.push(registry);
  if (gitVersion !== undefined) registry.setAbility('git', gitVersion);
  await registry.heartbeat(processId, service);
  return registry;
}

async function append(streamId = `stream-${randomUUID()}`): Promise<string> {
  const event = { eventId: randomUUID(), type: 'X', schemaVersion: 1, data: {}, metadata: {} };
  await store.append({ streamId, correlationId: streamId, expectedVersion: 'any', events: [event] });
  return streamId;
}

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
  const url = new URL(database.serviceUrl);
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
  expect(await run(rights, {}, database.ownerUrl)).toMatchObject([
    { level: 'warn', text: expect.stringContaining('may change the log') },
  ]);
  const trigger = 'TRIGGER events_are_append_only';
  await owner.query(`ALTER TABLE phaseline.events DISABLE ${trigger}`);
  expect(await run(rights)).toMatchObject([{ level: 'fail', text: expect.stringContaining('events_are_append_only') }]);
  await owner.query(`ALTER TABLE phaseline.events ENABLE ALWAYS ${trigger}`);
});

it('rights: reports missing privileges', async () => {
  await owner.query('REVOKE INSERT ON phaseline.blobs FROM phaseline_service');
  await owner.query('REVOKE EXECUTE ON FUNCTION phaseline.append_one FROM phaseline_service');
  expect(await run(rights)).toMatchObject([
    {
      level: 'fail',
      text: expect.stringMatching(/lacks privileges: .*INSERT on blobs.*EXECUTE on append_one/),
      remedy: expect.stringContaining('GRANT phaseline_service TO'),
    },
  ]);
  await owner.query('GRANT INSERT ON phaseline.blobs TO phaseline_service');
  await owner.query('GRANT EXECUTE ON FUNCTION phaseline.append_one TO phaseline_service');
});

it('services: reports if none is running, or one is missing', async () => {
  expect(await run(services)).toMatchObject([{ level: 'warn', text: 'no service is running; no job is open' }]);
  for (const service of ['orchestrator', 'strategic-worker', 'tool-runner'])
    await startProcess(`${service}-1`, service);
  expect(await run(services)).toMatchObject([
    {
      level: 'fail',
      text: 'no tactical-worker is running; no job is open',
      remedy: expect.stringContaining('tactical-worker'),
    },
  ]);
});

it('versions: reports a process of another release, and one that cannot read newer events', async () => {
  await startProcess('new', 'orchestrator', { version: '99.0.0', schemaVersions: { JobSubmitted: 2 } });
  await startProcess('old', 'tool-runner', { schemaVersions: { JobSubmitted: 1 } });
  expect(await run(versions)).toMatchObject([
    { level: 'warn', text: expect.stringContaining('new (99.0.0)') },
    { level: 'warn', text: expect.stringMatching(/^old cannot read/) },
  ]);
});

it('readiness: reports a process that is not ready, with its reason', async () => {
  await startProcess('slow', 'tool-runner', {
    problems: () => ['progress: the call c1 has made no progress for 5 min'],
  });
  expect(await run(readiness)).toMatchObject([
    { level: 'warn', text: 'slow is not ready: progress: the call c1 has made no progress for 5 min' },
  ]);
});

it('git: reports a tool-runner that cannot work with repositories, and none that does not say', async () => {
  await startProcess('silent', 'tool-runner');
  expect(await run(git)).toMatchObject([{ level: 'ok', text: 'no tool-runner reports a version of git' }]);
  await startProcess('able', 'tool-runner', {}, '2.39.5');
  expect(await run(git)).toMatchObject([{ level: 'ok', text: 'git 2.39.5' }]);
  await startProcess('without', 'tool-runner', {}, '');
  await startProcess('old', 'tool-runner', {}, '2.36.1');
  expect(await run(git)).toMatchObject([
    {
      level: 'warn',
      text: expect.stringMatching(/^old cannot work with repositories: git 2\.36\.1 on .* is older than 2\.37$/),
    },
    { level: 'warn', text: expect.stringMatching(/^without cannot work with repositories: git is not installed on /) },
  ]);
});

it('sandbox: reports how each tool-runner contains commands, and warns if it does not', async () => {
  expect(await run(sandbox)).toMatchObject([{ level: 'ok', text: 'no tool-runner is running' }]);
  (await startProcess('one', 'tool-runner')).setAbility('sandbox', {
    ...{ mechanism: 'bubblewrap', limitedBy: 'cgroup v1', hasFilter: true, reasons: [] },
  });
  (await startProcess('other', 'tool-runner')).setAbility('sandbox', { mechanism: null, reasons: ['it is too old'] });
  await expect
    .poll(() => run(sandbox))
    .toMatchObject([
      { level: 'ok', text: 'one: bubblewrap, cgroup v1' },
      { level: 'warn', text: 'other: commands are refused (it is too old)' },
    ]);
});

it('clocks: warns about a small offset and fails for a large one', async () => {
  await startProcess('off', 'tool-runner', { clock: () => new Date(Date.now() + 5_000) });
  expect(await run(clocks)).toMatchObject([{ level: 'warn', text: expect.stringMatching(/off on .* 5\.\d s ahead/) }]);
  await startProcess('far', 'tool-runner', { clock: () => new Date(Date.now() - 90_000) });
  expect(await run(clocks)).toMatchObject([
    { level: 'fail', text: expect.stringMatching(/far on .* 8\d\.\d s behind|90\.\d s behind/) },
  ]);
});

it('dead-processes: reports a lease that no process has taken over, until its stream is written to', async () => {
  const streamId = await append(`phase-${randomUUID()}-1`);
  const registry = await startProcess('dead', 'tactical-worker');
  registry.addLease(streamId);
  await registry.heartbeat('dead', 'tactical-worker');
  const limits: Partial<Limits> = { reconcilerGraceMs: 100 };
  expect(await run(deadProcesses, limits)).toMatchObject([{ level: 'ok' }]);
  await registry.close();
  await owner.query(
    `INSERT INTO phaseline.processes (process_id, service, heartbeat_at, leases) VALUES ('dead', 'tactical-worker', now() - interval '1 minute', $1)`,
    [[streamId]],
  );
  await owner.query(`UPDATE phaseline.streams SET updated_at = now() - interval '2 minutes' WHERE stream_id = $1`, [
    streamId,
  ]);
  expect(await run(deadProcesses, limits)).toMatchObject([
    { level: 'fail', text: expect.stringContaining(`held ${streamId}, which no process has taken over`) },
  ]);
  await append(streamId);
  expect(await run(deadProcesses, limits)).toMatchObject([{ level: 'ok', text: 'their leases were taken over' }]);
});

it('dead-letters: counts them by reason, ignoring ids and numbers', async () => {
  const table = new DeadLetters(owner);
  for (const second of [1, 2, 3])
    await table.add({
      queue: 'tools',
      messageId: `m${second}`,
      payload: { json: {} },
      reason: `row ${second} broke`,
      attempts: 1,
    });
  await table.add({ queue: 'jobs', messageId: 'm', payload: { json: {} }, reason: 'agent: missing', attempts: 1 });
  expect(await run(deadLetters)).toMatchObject([
    { level: 'warn', text: '4 dead letters: 3 on tools: row … broke; 1 on jobs: agent: missing' },
  ]);
});

it('quarantined-jobs: reports quarantined jobs, and --fix releases them', async () => {
  const quarantine = new Quarantine(owner, { maxFailures: 1, release: RELEASE });
  await quarantine.recordFailure({
    streamId: 'job-1',
    correlationId: '1',
    fingerprint: 'f',
    reason: 'event 7 cannot be read',
  });
  const [finding] = await run(quarantinedJobs);
  expect(finding).toMatchObject({
    level: 'warn',
    text: expect.stringMatching(/^job-1 is in quarantine after 1 identical failure; .*event 7 cannot be read$/),
    remedy: expect.stringContaining('phaseline retry 1'),
  });
  expect(await finding!.fix!()).toBe('released job-1');
  expect(await quarantine.count()).toBe(0);
});

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
  const open = createPool(database.ownerUrl, { max: 1, applicationName: 'a long report' });
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
  const reader = new Subscription(owner, {
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
  const reader = new Subscription(owner, {
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
  await owner.query(
    `INSERT INTO phaseline.unmirrored_files (mirror, job_id, path, location, reason)
     VALUES ('mirror-1', 'job', 'output/a.md', 'here:/data', 'its name is too long')`,
  );
  expect(await run(mirror)).toMatchObject([
    { level: 'warn', text: 'output/a.md of job job is not in the mirror here:/data: its name is too long' },
  ]);
  await owner.query('TRUNCATE phaseline.unmirrored_files');
});

it('retention: reports a failed run, jobs that are due while none starts, and a setting that was written by hand', async () => {
  expect(await run(retention)).toMatchObject([{ level: 'ok', text: 'every tenant keeps its files' }]);
  await setRetention(store, owner, 'default', { days: { filesDays: 0, vectorsDays: null }, actor });
  expect(await run(retention)).toMatchObject([{ level: 'ok', text: '1 tenant with a setting; there was no run yet' }]);
  const runs = new RetentionRuns(owner);
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
  await owner.query(
    `INSERT INTO phaseline.jobs_v1 (job_id, tenant, ended_at, submitted_position, position, agent, status, labels, created_at, updated_at,
       open_calls, awaiting_approval, input_tokens, cached_input_tokens, output_tokens, cost_micro_usd, steps)
     SELECT $1, 'default', now() - interval '3 days', 1, 1, 'writer', 'completed', '{}', now(), now(), '[]', '[]', 0, 0, 0, 0, 0`,
    [randomUUID()],
  );
  expect(await run(retention)).toMatchObject([{ level: 'ok' }]);
  expect(await run(retention, { retentionAgeMs: -60_000 })).toMatchObject([
    { level: 'warn', text: expect.stringContaining('1 job may have files or vectors that are due') },
  ]);
  await owner.query('UPDATE phaseline.retention_settings SET files_days = 1');
  expect(await run(retention)).toMatchObject([
    { level: 'fail', text: expect.stringContaining('of default is not what') },
  ]);
});

it('anchors: reports a missing anchor, a gap, and a stream head that the log lost', async () => {
  const streamId = await append();
  expect(await run(anchors, { anchorAgeMs: 0 })).toMatchObject([
    { level: 'warn', text: expect.stringMatching(/^there is no anchor/), remedy: 'phaseline audit anchor' },
  ]);
  const zero = `decode(repeat('00', 32), 'hex')`;
  await owner.query(`INSERT INTO phaseline.audit_keys (key_id, public_key) VALUES (sha256('k'), 'k')`);
  await owner.query(
    `INSERT INTO phaseline.anchors (number, previous_hash, anchored_at, key_id, horizon, position, streams, events, heads, root, hash, signature)
     VALUES (2, ${zero}, now(), sha256('k'), '999999999', 1, 1, 1, 1, ${zero}, ${zero}, ${zero})`,
  );
  await owner.query(
    `INSERT INTO phaseline.anchored_heads (anchor, stream_id, version, hash) VALUES (2, $1, 1, ${zero})`,
    [streamId],
  );
  expect(await run(anchors)).toMatchObject([
    { level: 'fail', text: 'the chain of anchors is broken in 1 place' },
    { level: 'fail', text: expect.stringContaining('does not hold 1 stream head that anchor 2 covers') },
  ]);
});

it('readers: reports jobs for which the read models do not advance', async () => {
  await owner.query(
    `INSERT INTO phaseline.read_models_behind (job_id, position, type, schema_version) VALUES ($1, 1, 'JobPaused', 99)`,
    [randomUUID()],
  );
  expect(await run(readers)).toMatchObject([
    {
      level: 'warn',
      text: expect.stringMatching(/^the read models do not advance for 1 job .*\(JobPaused, version 99\)/),
    },
  ]);
  await owner.query('TRUNCATE phaseline.read_models_behind');
});

it('snapshots: reports one that differs from the log, and --fix deletes it', async () => {
  const jobId = randomUUID();
  const event = exampleJob() as Extract<JobEvent, { type: 'JobSubmitted' }>;
  await store.append(
    buildJobAppend(jobId, 0, [{ ...event, data: { ...event.data, jobId } }], {
      actor: { id: 'spec', kind: 'process' },
    }),
  );
  const table = new Snapshots(owner);
  const { hash } = (await store.readAt(jobStream(jobId), 1))!;
  const state = (await new StreamFolds(store).foldJob(jobId, 1))!;
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
  await owner.query(
    `INSERT INTO phaseline.snapshots (stream_id, version, fold_version, hash, state) VALUES ($1, 1, 'x', sha256('other'), '{}')`,
    [streamId],
  );
  expect(await run(snapshots)).toMatchObject([{ level: 'warn', text: expect.stringMatching(/^1 of 1 snapshot/) }]);
});
