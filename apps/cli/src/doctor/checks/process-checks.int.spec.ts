import { randomUUID } from 'node:crypto';
import { RELEASE } from '@phaseline/event-store';
import { DeadLetters, Quarantine } from '@phaseline/cluster';
import { expect, it } from 'vitest';
import type { Limits } from '../limits.js';
import { useDoctorDatabase } from '../testing/doctor-database.fixture.js';
import { clocks } from './clocks.js';
import { deadLetters } from './dead-letters.js';
import { deadProcesses } from './dead-processes.js';
import { git } from './git.js';
import { readiness } from './readiness.js';
import { sandbox } from './sandbox.js';
import { services } from './services.js';
import { quarantinedJobs } from './quarantined-jobs.js';
import { versions } from './versions.js';

const doctor = useDoctorDatabase();
const { append, run, startProcess } = doctor;

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

// The machine adds its own delays to the offsets.
it('clocks: warns about a small offset and fails for a large one', async () => {
  await startProcess('off', 'tool-runner', { clock: () => new Date(Date.now() + 5_000) });
  expect(await run(clocks)).toMatchObject([{ level: 'warn', text: expect.stringMatching(/off on .* \d\.\d s ahead/) }]);
  await startProcess('far', 'tool-runner', { clock: () => new Date(Date.now() - 90_000) });
  expect(await run(clocks)).toMatchObject([
    { level: 'fail', text: expect.stringMatching(/far on .* \d+\.\d s behind/) },
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
  await doctor.owner.query(
    `INSERT INTO phaseline.processes (process_id, service, heartbeat_at, leases) VALUES ('dead', 'tactical-worker', now() - interval '1 minute', $1)`,
    [[streamId]],
  );
  await doctor.owner.query(
    `UPDATE phaseline.streams SET updated_at = now() - interval '2 minutes' WHERE stream_id = $1`,
    [streamId],
  );
  expect(await run(deadProcesses, limits)).toMatchObject([
    { level: 'fail', text: expect.stringContaining(`held ${streamId}, which no process has taken over`) },
  ]);
  await append(streamId);
  expect(await run(deadProcesses, limits)).toMatchObject([{ level: 'ok', text: 'their leases were taken over' }]);
});

it('dead-letters: counts them by reason, ignoring ids and numbers', async () => {
  const table = new DeadLetters(doctor.owner);
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
  const quarantine = new Quarantine(doctor.owner, { maxFailures: 1, release: RELEASE });
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
