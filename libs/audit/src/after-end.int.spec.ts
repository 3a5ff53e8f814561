import { StreamClosed } from '@phaseline/event-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditedLog } from './testing/audited-log.fixture.js';

let log: AuditedLog;
beforeAll(async () => {
  log = await AuditedLog.create();
});
afterAll(() => log.close());

const ends = [
  'JobCompleted',
  'JobCancelled',
  'JobFailed',
  'PhaseCompleted',
  'PhaseFailed',
  'PhaseCancelled',
  'JobErased',
];
const allowedFollowers: Readonly<Record<string, readonly string[]>> = {
  JobCompleted: ['JobErased'],
  JobCancelled: ['JobErased'],
  JobFailed: ['JobErased', 'JobRetried'],
};
const nextTypes = [
  'JobFailed',
  'JobRetried',
  'JobErased',
  'JobCompleted',
  'PhaseFailed',
  'TodoCompleted',
  'Unregistered',
];

describe('a stream that has ended', () => {
  it.each(ends)(
    'accepts after %s only the events that may follow it, even if the service reopens the stream',
    async (end) => {
      for (const next of nextTypes) {
        const stream = `job-${end}-${next}`;
        await log.appendTypes(stream, ['TodoCompleted', end]);
        const attempt = log.appendTypes(stream, [next], { reopens: true });
        if (allowedFollowers[end]?.includes(next)) await attempt;
        else await expect(attempt, next).rejects.toThrow(StreamClosed);
      }
    },
  );

  it('is closed by its last event even if the caller does not close it', async () => {
    await log.appendTypes('job-open', ['JobSubmitted', 'JobCompleted']);
    const { rows } = await log.service.query(`SELECT closed FROM phaseline.streams WHERE stream_id = 'job-open'`);
    expect(rows).toEqual([{ closed: true }]);
    await expect(log.appendTypes('job-open', ['JobFailed'])).rejects.toThrow(StreamClosed);
  });

  it('rejects later events of the same append, in a small and in a large append', async () => {
    await expect(log.appendTypes('job-once', ['JobSubmitted', 'JobCompleted', 'JobFailed'])).rejects.toThrow(
      StreamClosed,
    );
    const nine = Array.from({ length: 9 }, () => 'TodoCompleted');
    await expect(log.appendTypes('job-batch', [...nine, 'JobCompleted', 'JobFailed'])).rejects.toThrow(StreamClosed);
    const streams = await log.service.query(
      `SELECT FROM phaseline.streams WHERE stream_id IN ('job-once', 'job-batch')`,
    );
    expect(streams.rowCount).toBe(0);
  });

  it('verifies, including a job that was retried and then completed', async () => {
    await log.appendTypes('job-retried', ['JobSubmitted', 'JobFailed']);
    await log.appendTypes('job-retried', ['JobRetried', 'PhaseDispatched'], { reopens: true });
    await log.appendTypes('job-retried', ['JobCompleted']);
    await log.appendTypes('job-retried', ['JobErased'], { reopens: true });
    await log.anchorAll();
    expect(await log.verifyOnline()).toEqual([]);
    expect(await log.verifyExported()).toEqual([]);
  });
});

describe('tampering by a superuser', () => {
  const row = (stream: string, change: string): string =>
    `UPDATE phaseline.streams SET ${change} WHERE stream_id = '${stream}'`;

  it('is found when an event follows the end of a stream, with valid hashes and an anchor', async () => {
    await log.appendTypes('job-turned', ['JobSubmitted', 'JobCompleted']);
    await log.superuser.query(
      `CREATE OR REPLACE FUNCTION phaseline.may_follow(p_previous text, p_next text) RETURNS boolean
       LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN true`,
    );
    await log.appendTypes('job-turned', ['JobFailed', 'JobCompleted'], { reopens: true });
    await log.anchorAll();
    expect(await log.verifyOnline()).toEqual(['job-turned 3 after-end']);
    expect(await log.verifyExported()).toEqual(['job-turned 3 after-end']);
  });

  it('is found when a row in streams has the wrong closed flag or correlation', async () => {
    await log.appendTypes('job-closed', ['JobSubmitted', 'JobCompleted']);
    await log.appendTypes('job-running', ['JobSubmitted']);
    await log.appendTypes('job-moved', ['JobSubmitted']);
    await log.tamper(
      row('job-closed', 'closed = false'),
      row('job-running', 'closed = true'),
      row('job-moved', `correlation_id = 'of-job-running'`),
    );
    expect(await log.verifyOnline()).toEqual([
      'job-closed 2 head-mismatch',
      'job-moved 1 head-mismatch',
      'job-running 1 head-mismatch',
      'job-turned 3 after-end',
    ]);
  });
});
