import { randomUUID } from 'node:crypto';
import { EventStore } from '@phaseline/event-store';
import { appendTo, useTestDatabase } from '@phaseline/event-store/testing';
import { expect, it, onTestFinished } from 'vitest';
import { LiveChanges, type JobChanges } from './live-changes.js';

const pools = useTestDatabase();
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('reads the log only while a caller listens, and reports each job once per read', async () => {
  let queries = 0;
  pools.service.on('acquire', () => (queries += 1));
  const errors: unknown[] = [];
  const silent = { subscribe: () => () => undefined };
  const changes = new LiveChanges(pools.service, silent, { shortest: 20, longest: 50 }, (error) => errors.push(error));
  onTestFinished(() => changes.close());
  await pause(200);
  expect(queries).toBe(0);
  const reports: JobChanges[] = [];
  const subscription = changes.subscribe((report) => reports.push(report));
  await changes.ready;
  const store = new EventStore(pools.service);
  const jobId = randomUUID();
  const events = ['A', 'B', 'ApprovalRequested'].map((type) => ({
    ...{ eventId: randomUUID(), type, schemaVersion: 1, data: {}, metadata: {} },
  }));
  await store.append(appendTo(`phase-${jobId}-1`, { correlationId: jobId, events }));
  await store.append(appendTo('other-principal', { correlationId: 'principals' }));
  await expect.poll(() => reports.length, { timeout: 5_000 }).toBeGreaterThan(0);
  const jobs = reports.map((report) => (report === 'missed' ? report : Object.fromEntries(report)));
  expect(jobs).toEqual([{ [jobId]: expect.objectContaining({ mayChangeInbox: true }) as object }]);
  subscription[Symbol.dispose]();
  await pause(100);
  const before = queries;
  await pause(200);
  expect(queries).toBe(before);
  expect(errors).toEqual([]);
});
