import type { Alert, QueueDepth } from '@phaseline/client';
import { alertSchema } from '@phaseline/client';
import { describe, expect, it } from 'vitest';
import type { AlertFacts, ProcessFacts } from './alert-facts.js';
import { listAlerts } from './list-alerts.js';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const ago = (ms: number): string => new Date(now - ms).toISOString();
const minutes = (count: number): number => count * 60_000;

const worker: ProcessFacts = {
  ...{ processId: 'w-1', service: 'strategic-worker', host: 'box', queues: ['strategic'], problems: [] },
  ...{ heartbeatAt: ago(900), silentForMs: 900, isDead: false },
};
const depth = (change: Partial<QueueDepth>): QueueDepth => ({
  ...{ queue: 'strategic', waiting: 0, active: 0, delayed: 0, failed: 0 },
  ...{ arrivalsPerMinute: 6, completionsPerMinute: 4, isGrowing: false },
  ...change,
});
const jobId = '019b0000-0000-7000-8000-00000000000a';
const healthy: AlertFacts = {
  now,
  queues: [depth({}), depth({ queue: 'tools', waiting: 3, longestWaitMs: 14_000, isGrowing: true })],
  processes: [worker],
  deadLetters: { jobs: 0 },
  projection: { lagSeconds: 30, unreadableJobs: 0 },
  anchors: { intervalMs: minutes(5), unanchoredMs: minutes(15) },
  ...{ quarantined: [], guards: [], failures: [] },
  waiting: [{ jobId, kind: 'approval', askedAt: ago(minutes(60)) }],
  tenants: [
    { tenant: 'acme', active: 2, waiting: 0, limit: 2 },
    { tenant: 'beta', active: 1, waiting: 3, limit: 2 },
    { tenant: 'free', active: 9, waiting: 9 },
  ],
};

function list(change: Partial<AlertFacts>): readonly Alert[] {
  const alerts = listAlerts({ ...healthy, ...change });
  for (const alert of alerts) expect(alertSchema.parse(alert)).toEqual(alert);
  return alerts;
}

it('nothing is wrong with a system at its limits', () => {
  expect(list({})).toEqual([]);
});

describe('alerts about queues', () => {
  const waiting = (change: Partial<QueueDepth>) => depth({ waiting: 4, longestWaitMs: 31_000, ...change });

  it('name a queue that grows, but not one that drains or whose messages have just arrived', () => {
    expect(list({ queues: [waiting({ isGrowing: true })] })).toEqual([
      {
        ...{ id: 'queue-growing:strategic', kind: 'queue-growing', severity: 'warning' },
        title: 'The queue strategic does not drain',
        cause: '4 messages wait; 6.0 per minute arrive and 4.0 per minute are completed.',
        ...{ command: 'phaseline queues', since: ago(31_000), link: { kind: 'queue', id: 'strategic' } },
      },
    ]);
    expect(list({ queues: [waiting({ isGrowing: false, drainSeconds: 9 })] })).toEqual([]);
    expect(list({ queues: [waiting({ isGrowing: true, longestWaitMs: 30_000 })] })).toEqual([]);
  });

  it('name a queue that no live process serves, instead of that it grows', () => {
    const queues = [waiting({ isGrowing: true })];
    const served = { ...worker, isDead: true, silentForMs: minutes(16) };
    const other = { ...worker, processId: 'w-2', queues: ['tools'] };
    for (const processes of [[], [other], [served, other]])
      expect(list({ queues, processes })).toMatchObject([
        {
          ...{ id: 'queue-unserved:strategic', severity: 'critical', command: 'phaseline ps' },
          cause: '4 messages wait on the queue strategic, and no running process takes them.',
        },
      ]);
    // A release that does not report its queues may serve this one.
    const unknown = { ...worker, processId: 'w-3', queues: undefined };
    expect(list({ queues, processes: [unknown] })).toMatchObject([{ kind: 'queue-growing' }]);
    expect(list({ queues: [waiting({ longestWaitMs: 15_000 })], processes: [] })).toEqual([]);
  });

  it('name a queue whose oldest message has waited for more than five minutes', () => {
    expect(list({ queues: [waiting({ longestWaitMs: minutes(5) + 1_000 })] })).toMatchObject([
      {
        ...{ id: 'queue-old:strategic', severity: 'warning', since: ago(minutes(5) + 1_000) },
        cause: 'The oldest message on the queue strategic has been waiting for 5 min 1 s.',
      },
    ]);
    expect(list({ queues: [waiting({ longestWaitMs: minutes(5) })] })).toEqual([]);
  });

  it('name dead letters by queue', () => {
    expect(list({ deadLetters: { jobs: 2, tools: 1, timers: 0 } })).toMatchObject([
      { id: 'dead-letters:jobs', command: 'phaseline dead-letters --queue jobs', link: { id: 'jobs' } },
      {
        id: 'dead-letters:tools',
        cause: '1 message of the queue tools could not be handled and waits for a person.',
      },
    ]);
  });
});

describe('alerts about processes', () => {
  const dead = { ...worker, processId: 'w-0', isDead: true, heartbeatAt: ago(minutes(2)), silentForMs: minutes(2) };

  it('name a process that is silent, as critical if it was the last of its service', () => {
    expect(list({ processes: [dead, worker] })).toMatchObject([
      { id: 'process-dead:w-0', severity: 'warning', since: ago(minutes(2)), link: { kind: 'process', id: 'w-0' } },
    ]);
    expect(list({ processes: [dead] })).toMatchObject([
      {
        severity: 'critical',
        cause: 'w-0 on box has written no heartbeat for 2 min and counts as dead. No other one of its service runs.',
      },
    ]);
  });

  it('name a process that was not replaced for as long as it is known', () => {
    const gone = { ...dead, silentForMs: minutes(16) };
    expect(list({ processes: [gone, worker] })).toEqual([]);
    expect(list({ processes: [gone] })).toHaveLength(1);
    expect(list({ processes: [gone, { ...worker, service: 'tool-runner' }] })).toHaveLength(1);
  });

  it('name a process that reports problems', () => {
    expect(list({ processes: [{ ...worker, problems: ['the disk is full', 'no git'] }] })).toMatchObject([
      { id: 'process-problem:w-1', severity: 'warning', cause: 'w-1 on box reports: the disk is full; no git.' },
    ]);
  });
});

describe('alerts about the log', () => {
  it('name read models that are behind, and jobs that cannot be read', () => {
    const projection = { lagSeconds: 31, unreadableJobs: 2 };
    expect(list({ projection })).toMatchObject([
      { id: 'projection-behind', severity: 'warning', since: ago(31_000) },
      { id: 'projection-unreadable', severity: 'warning' },
    ]);
    expect(list({ projection: { lagSeconds: 301, unreadableJobs: 0 } })).toMatchObject([
      { severity: 'critical', cause: 'The read models have not applied events of 5 min 1 s ago.' },
    ]);
    expect(list({ projection: undefined })).toEqual([]);
  });

  it('name an anchor that is overdue or fails', () => {
    const intervalMs = minutes(5);
    expect(list({ anchors: { intervalMs, unanchoredMs: minutes(16) } })).toMatchObject([
      {
        ...{ id: 'anchor-overdue', severity: 'warning', command: 'phaseline audit anchor' },
        cause: 'No anchor covers events of 16 min ago; one is due every 5 min.',
      },
    ]);
    expect(list({ anchors: { intervalMs, unanchoredMs: minutes(24 * 60 + 1) } })).toMatchObject([
      { severity: 'critical' },
    ]);
    const failure = { since: ago(minutes(6)), message: 'the key is gone' };
    expect(list({ anchors: { intervalMs, unanchoredMs: 0, failure } })).toMatchObject([
      { id: 'anchor-failing', since: ago(minutes(6)), cause: 'The attempts to anchor the log fail: the key is gone' },
    ]);
    expect(list({ anchors: undefined })).toEqual([]);
  });
});

it('what cannot be read is an alert', () => {
  const failures = [{ name: 'queues', message: 'Redis does not respond.' }] as const;
  expect(list({ queues: [], failures })).toMatchObject([
    { id: 'check-failed:queues', severity: 'critical', title: 'The queues cannot be read', cause: failures[0].message },
  ]);
});

describe('alerts about jobs and tenants', () => {
  it('name quarantined jobs with the reason', () => {
    const quarantined = [{ jobId, reason: 'event 7 cannot be read', failures: 5, since: ago(minutes(3)) }];
    expect(list({ quarantined })).toMatchObject([
      {
        ...{ id: `job-quarantined:${jobId}`, severity: 'critical', command: `phaseline retry ${jobId}` },
        cause: `Job ${jobId} failed 5 times in the same way and is not processed: event 7 cannot be read`,
        ...{ since: ago(minutes(3)), link: { kind: 'job', id: jobId } },
      },
    ]);
  });

  it('name a job once that has waited for a person for more than an hour', () => {
    const entry = (kind: 'approval' | 'question' | 'blocked-todo', waited: number) => ({
      ...{ jobId, kind, askedAt: ago(minutes(waited)) },
    });
    expect(list({ waiting: [entry('approval', 61), entry('question', 125), entry('approval', 1)] })).toMatchObject([
      {
        ...{ id: `job-waiting:${jobId}`, severity: 'warning', command: `phaseline inbox ${jobId}` },
        cause: `Job ${jobId} has been waiting for the answer to a question for 2 h 5 min, and for 1 more.`,
        since: ago(minutes(125)),
      },
    ]);
    expect(list({ waiting: [entry('blocked-todo', 61)] })).toMatchObject([
      { cause: `Job ${jobId} has been waiting for help with a blocked todo for 1 h 1 min.` },
    ]);
  });

  it('name a tenant that uses all its slots while jobs wait', () => {
    const tenants = [{ tenant: 'acme', active: 2, waiting: 3, limit: 2, longestWaitMs: 4_000 }];
    expect(list({ tenants })).toEqual([
      {
        ...{ id: 'tenant-full:acme', kind: 'tenant-full', severity: 'warning' },
        title: 'Tenant acme uses all its slots',
        cause: '2 of 2 slots are in use, and 3 jobs wait for one.',
        command: 'phaseline tenants set acme --max-running-phases 5',
        ...{ since: ago(4_000), link: { kind: 'tenant', id: 'acme' } },
      },
    ]);
  });
});

it('critical alerts come first, then the oldest, then those of unknown age', () => {
  const alerts = list({
    deadLetters: { jobs: 1 },
    queues: [depth({ waiting: 1, longestWaitMs: minutes(9) })],
    projection: { lagSeconds: 60, unreadableJobs: 0 },
    quarantined: [{ jobId, reason: 'r', failures: 5, since: ago(1_000) }],
  });
  expect(alerts.map(({ kind }) => kind)).toEqual(['job-quarantined', 'queue-old', 'projection-behind', 'dead-letters']);
});

it('a guard that exceeds a limit is reported with its figure, and with what its owner or the system does', () => {
  const over = {
    ...{ tenant: 'acme', name: 'no-notes', number: 2, owner: 'legal', since: ago(minutes(9)), automatic: false },
    basis: { cause: 'outcomes_worse', figure: '6 overrides, more than 5' } as const,
  };
  const [system, own] = list({ guards: [over, { ...over, tenant: undefined, automatic: true }] });
  expect(own).toMatchObject({
    ...{ id: 'guard-over-limit:acme/no-notes', severity: 'warning' },
    cause: expect.stringMatching(/^Version 2 .*: 6 overrides, more than 5\. Its owner is legal\.$/) as string,
    command: "phaseline guards rollback no-notes --tenant acme --reason '6 overrides, more than 5'",
  });
  expect(system).toMatchObject({
    cause: expect.stringContaining('The system rolls it back') as string,
    command: expect.stringContaining('--system') as string,
  });
});
