import { beforeEach, expect, it } from 'vitest';
import { useTestDatabase } from '@phaseline/event-store/testing';
import { Quarantine, type QuarantineOptions } from './quarantine.js';

const pools = useTestDatabase();
beforeEach(() => pools.owner.query('TRUNCATE phaseline.quarantine'));

const createQuarantine = (options: Partial<QuarantineOptions> = {}): Quarantine =>
  new Quarantine(pools.service, { maxFailures: 3, release: '1.0.0', ...options });
const createFailure = (reason = 'event 7 cannot be read', streamId = 'job-1') => ({
  streamId,
  correlationId: streamId.replace(/^\w+-/, ''),
  fingerprint: reason,
  reason,
});

/** Moves the times of all rows back, as if this interval had passed since the last failure. */
const advanceTime = (by: string): Promise<unknown> =>
  pools.owner.query(
    'UPDATE phaseline.quarantine SET last_at = last_at - $1::interval, next_check_at = next_check_at - $1::interval',
    [by],
  );

async function failRepeatedly(times: number, own = createQuarantine(), what = createFailure()) {
  let last = await own.recordFailure(what);
  for (let time = 1; time < times; time += 1) {
    await advanceTime('2 seconds');
    last = await own.recordFailure(what);
  }
  return last;
}

it('counts identical failures and quarantines the stream at the limit', async () => {
  expect(await failRepeatedly(2)).toMatchObject({ failures: 2, quarantinedAt: undefined });
  expect(await createQuarantine().listSkipped()).toEqual(new Set());
  expect(await createQuarantine().count()).toBe(0);
  await advanceTime('2 seconds');
  expect(await failRepeatedly(1)).toMatchObject({ failures: 3, quarantinedAt: expect.any(String), correlationId: '1' });
  expect(await createQuarantine().listSkipped()).toEqual(new Set(['job-1']));
  expect(await createQuarantine().count()).toBe(1);
});

it('restarts the count for a different failure, because only repeated failures are permanent', async () => {
  await failRepeatedly(2);
  await advanceTime('2 seconds');
  expect(await failRepeatedly(1, createQuarantine(), createFailure('something else'))).toMatchObject({ failures: 1 });
  await advanceTime('2 seconds');
  expect(await failRepeatedly(1)).toMatchObject({ failures: 1, quarantinedAt: undefined });
});

it('counts concurrent failures of several replicas once', async () => {
  await Promise.all(Array.from({ length: 6 }, () => createQuarantine().recordFailure(createFailure())));
  expect(await createQuarantine().list()).toMatchObject([{ failures: 1 }]);
});

it('counts again a second after the last counted failure, even if replicas fail in between', async () => {
  await createQuarantine().recordFailure(createFailure());
  await advanceTime('600 milliseconds');
  await createQuarantine().recordFailure(createFailure());
  await advanceTime('600 milliseconds');
  expect(await createQuarantine().recordFailure(createFailure())).toMatchObject({ failures: 2 });
});

it('doubles the wait before each further check, up to a limit', async () => {
  const own = createQuarantine({ firstCheckMs: 10_000, maxCheckMs: 25_000 });
  const waitSeconds = async (): Promise<number> => {
    const { rows } = await pools.owner.query<{ wait: number }>(
      'SELECT extract(epoch FROM next_check_at - last_at)::float8 AS wait FROM phaseline.quarantine',
    );
    return rows[0]!.wait;
  };
  await failRepeatedly(3, own);
  expect(await waitSeconds()).toBe(10);
  await advanceTime('11 seconds');
  expect(await own.listSkipped()).toEqual(new Set());
  await own.recordFailure(createFailure());
  expect(await waitSeconds()).toBe(20);
  expect(await own.listSkipped()).toEqual(new Set(['job-1']));
  await advanceTime('21 seconds');
  await own.recordFailure(createFailure());
  expect(await waitSeconds()).toBe(25);
});

it('does not apply to another release', async () => {
  await failRepeatedly(3);
  expect(await createQuarantine({ release: '1.0.1' }).listSkipped()).toEqual(new Set());
});

it('releases the streams of a job, and forgets streams that work again', async () => {
  await failRepeatedly(3);
  await failRepeatedly(3, createQuarantine(), createFailure('x', 'phase-1'));
  await failRepeatedly(3, createQuarantine(), createFailure('x', 'job-2'));
  expect(await createQuarantine().list({ correlationId: '2' })).toHaveLength(1);
  expect(await createQuarantine().release('1')).toEqual(['job-1', 'phase-1']);
  await createQuarantine().forget(['job-2']);
  expect(await createQuarantine().list()).toEqual([]);
});

it('quarantines a stream immediately with quarantineStream', async () => {
  await createQuarantine().quarantineStream(createFailure('became a dead letter 3 times'));
  expect(await createQuarantine().list({ isQuarantined: true })).toMatchObject([
    { streamId: 'job-1', reason: 'became a dead letter 3 times' },
  ]);
  expect(await createQuarantine().listSkipped()).toEqual(new Set(['job-1']));
});

it('replaces characters in a reason that PostgreSQL rejects', async () => {
  await createQuarantine().recordFailure(createFailure('bad \0 byte \ud800'));
  expect(await createQuarantine().list()).toMatchObject([{ reason: 'bad \uFFFD byte \uFFFD' }]);
});
