import { beforeEach, expect, it } from 'vitest';
import { useTestDatabase } from '@phaseline/event-store/testing';
import { Quarantine, type QuarantineOptions } from './quarantine.js';

const pools = useTestDatabase();
beforeEach(() => pools.owner.query('TRUNCATE phaseline.quarantine'));

const quarantine = (options: Partial<QuarantineOptions> = {}): Quarantine =>
  new Quarantine(pools.service, { after: 3, release: '1.0.0', ...options });
const failure = (reason = 'event 7 cannot be read', streamId = 'job-1') => ({
  streamId,
  correlationId: streamId.replace(/^\w+-/, ''),
  fingerprint: reason,
  reason,
});

/** As if so much time had passed since the last failure. */
const pass = (by: string): Promise<unknown> =>
  pools.owner.query(
    'UPDATE phaseline.quarantine SET last_at = last_at - $1::interval, next_look_at = next_look_at - $1::interval',
    [by],
  );

async function fail(times: number, own = quarantine(), what = failure()) {
  let last = await own.failed(what);
  for (let time = 1; time < times; time += 1) {
    await pass('2 seconds');
    last = await own.failed(what);
  }
  return last;
}

it('counts identical failures and sets the stream aside at the limit', async () => {
  expect(await fail(2)).toMatchObject({ failures: 2, setAsideAt: undefined });
  expect(await quarantine().notNow()).toEqual(new Set());
  expect(await quarantine().count()).toBe(0);
  await pass('2 seconds');
  expect(await fail(1)).toMatchObject({ failures: 3, setAsideAt: expect.any(String), correlationId: '1' });
  expect(await quarantine().notNow()).toEqual(new Set(['job-1']));
  expect(await quarantine().count()).toBe(1);
});

it('begins anew with another failure: only what stays the same will not pass by itself', async () => {
  await fail(2);
  await pass('2 seconds');
  expect(await fail(1, quarantine(), failure('something else'))).toMatchObject({ failures: 1 });
  await pass('2 seconds');
  expect(await fail(1)).toMatchObject({ failures: 1, setAsideAt: undefined });
});

it('counts failures of several replicas at the same moment once', async () => {
  await Promise.all(Array.from({ length: 6 }, () => quarantine().failed(failure())));
  expect(await quarantine().list()).toMatchObject([{ failures: 1 }]);
});

it('counts on, however many replicas fail in between', async () => {
  await quarantine().failed(failure());
  await pass('600 milliseconds');
  await quarantine().failed(failure());
  await pass('600 milliseconds');
  expect(await quarantine().failed(failure())).toMatchObject({ failures: 2 });
});

it('waits longer before each further look, up to a limit', async () => {
  const own = quarantine({ firstLookMs: 10_000, lastLookMs: 25_000 });
  const wait = async (): Promise<number> => {
    const { rows } = await pools.owner.query<{ wait: number }>(
      'SELECT extract(epoch FROM next_look_at - last_at)::float8 AS wait FROM phaseline.quarantine',
    );
    return rows[0]!.wait;
  };
  await fail(3, own);
  expect(await wait()).toBe(10);
  await pass('11 seconds');
  expect(await own.notNow()).toEqual(new Set());
  await own.failed(failure());
  expect(await wait()).toBe(20);
  expect(await own.notNow()).toEqual(new Set(['job-1']));
  await pass('21 seconds');
  await own.failed(failure());
  expect(await wait()).toBe(25);
});

it('lets another release look at once', async () => {
  await fail(3);
  expect(await quarantine({ release: '1.0.1' }).notNow()).toEqual(new Set());
});

it('releases the streams of one job, or what turned out to be over', async () => {
  await fail(3);
  await fail(3, quarantine(), failure('x', 'phase-1'));
  await fail(3, quarantine(), failure('x', 'job-2'));
  expect(await quarantine().list({ correlationId: '2' })).toHaveLength(1);
  expect(await quarantine().release('1')).toEqual(['job-1', 'phase-1']);
  await quarantine().forget(['job-2']);
  expect(await quarantine().list()).toEqual([]);
});

it('sets aside at once what somebody else has counted', async () => {
  await quarantine().setAside(failure('given up 3 times'));
  expect(await quarantine().list({ setAside: true })).toMatchObject([
    { streamId: 'job-1', reason: 'given up 3 times' },
  ]);
  expect(await quarantine().notNow()).toEqual(new Set(['job-1']));
});

it('keeps a reason that PostgreSQL would refuse', async () => {
  await quarantine().failed(failure('bad \0 byte \ud800'));
  expect(await quarantine().list()).toMatchObject([{ reason: 'bad \uFFFD byte \uFFFD' }]);
});
