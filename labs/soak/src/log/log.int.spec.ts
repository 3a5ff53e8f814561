import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { createPool } from '@phaseline/event-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderLog } from './render-log.js';
import { runLog, type LogReport } from './run-log.js';
import { verifyLog } from './verify-log.js';

const EVENTS = 4_000;
const APPENDS = 30;
/** Measured appends of a tenth, with those that warm up. */
const APPENDED = 2 * (128 + APPENDS);

let database: TestDatabase;
let report: LogReport;
const lines: string[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  report = await runLog({
    ownerUrl: database.ownerUrl,
    databaseUrl: database.serviceUrl,
    events: EVENTS,
    seed: 3,
    appends: APPENDS,
    jobReads: 3,
    note: (line) => lines.push(line),
  });
}, 120_000);
afterAll(() => database.drop());

const countRows = async (text: string): Promise<number> => {
  const pool = createPool(database.serviceUrl, { max: 1 });
  const { rows } = await pool.query<{ count: string }>(text);
  await pool.end();
  return Number(rows[0]!.count);
};

it('fills a log in ten parts and verifies all of it', async () => {
  expect(report.problems).toEqual([]);
  expect(report).toMatchObject({ passed: true, verification: { problemCount: 0, events: report.events } });
  expect(report.verification).not.toHaveProperty('sample');
  expect(await countRows('SELECT count(*) FROM phaseline.events')).toBe(report.events);
  expect(await countRows("SELECT count(*) FROM phaseline.events WHERE stream_id LIKE 'appends-%'")).toBe(10 * APPENDED);
  expect(await countRows("SELECT count(*) FROM phaseline.streams WHERE stream_id LIKE 'job-%'")).toBe(report.jobs);
  expect(await countRows('SELECT count(*) FROM phaseline.jobs')).toBe(report.jobs);
  expect(report.events - 10 * APPENDED).toBeGreaterThanOrEqual(EVENTS);
  expect(lines.filter((line) => line.startsWith('filling the log up to'))).toHaveLength(10);
});

it('measures each length, and the list of jobs after a rebuild', () => {
  const { rows } = report;
  expect(rows).toHaveLength(10);
  expect(rows.map(({ lists }) => lists !== undefined)).toEqual(
    Array.from({ length: 10 }, (_, index) => [0, 1, 4, 9].includes(index)),
  );
  for (const [index, { events, appends, jobReads }] of rows.entries()) {
    expect(events).toBeGreaterThanOrEqual((EVENTS * (index + 1)) / 10 + APPENDED * index);
    expect(appends.appended).toBe(APPENDED);
    // An append reads and writes its row, that of its stream, and their indexes.
    expect(appends.buffers).toBeGreaterThan(5);
    expect(appends.buffers).toBeLessThan(200);
    expect(jobReads.rows).toBeGreaterThan(1);
    expect(jobReads.buffersPerRow).toBeGreaterThan(0);
  }
  const last = rows[9]!.lists!;
  expect(last.newest.rows).toBe(Math.min(51, report.jobs));
  expect(last.byLabel.rows).toBeGreaterThan(0);
  expect(last.byLabel.rows).toBeLessThan(report.jobs);
  expect(last.newest.buffers).toBeGreaterThan(0);
});

it('samples the growth of the log', () => {
  const [first, last] = [report.samples[0]!, report.samples.at(-1)!];
  expect(first.progress).toBe(0);
  expect(last.progress).toBe(report.events);
  expect(last.tablesMiB['events']).toBeGreaterThan(1);
  expect(last.rssMiB['writers']).toBeGreaterThan(0);
});

it('prints figures only if every check passed', () => {
  const text = renderLog(report);
  expect(text).toContain('All checks passed.');
  expect(text).toContain(`${report.events.toLocaleString('en-US')} events in`);
  const failed = renderLog({ ...report, passed: false, problems: ['events: found 1, expected 2'] });
  expect(failed).toBe('! events: found 1, expected 2\nChecks failed. Seed 3.\n');
});

it('verifies a sample of jobs if all streams would take too long, and finds what is broken in it', async () => {
  const pool = createPool(database.serviceUrl, { max: 2 });
  const owner = createPool(database.ownerUrl, { max: 1 });
  const { rows } = await owner.query<{ id: string }>(
    "SELECT substr(stream_id, 5) AS id FROM phaseline.streams WHERE stream_id LIKE 'job-%' ORDER BY stream_id LIMIT 2",
  );
  const sample = rows.map(({ id }) => id);
  const verify = () =>
    verifyLog({
      pool,
      events: Number.MAX_SAFE_INTEGER,
      maxMs: 0,
      findSample: () => Promise.resolve(sample),
      onProgress: () => undefined,
    });
  const intact = await verify();
  expect(intact).toMatchObject({ sample, problemCount: 0 });
  expect(intact.events).toBe(
    await countRows(
      `SELECT count(*) FROM phaseline.events WHERE correlation_id IN (${sample.map((id) => `'${id}'`).join()})`,
    ),
  );

  await owner.query('ALTER TABLE phaseline.events DISABLE TRIGGER events_are_append_only');
  await owner.query(`UPDATE phaseline.events SET data = '{}' WHERE stream_id = $1 AND version = 1`, [
    `job-${sample[1]}`,
  ]);
  const broken = await verify();
  expect(broken.problemCount).toBeGreaterThan(0);
  expect(broken.problems.join()).toContain(`job-${sample[1]}`);
  await Promise.all([pool.end(), owner.end()]);
});
