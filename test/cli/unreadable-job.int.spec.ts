import { randomUUID } from 'node:crypto';
import { PhaselineClient } from '@phaseline/client';
import { phaseStream } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../apps/cli/src/run-cli.js';
import { createFakeHost } from '../../apps/cli/src/testing/fake-streams.js';
import {
  phaseEvents,
  startOrchestrator,
  type OrchestratorForSpecs,
} from '../../apps/orchestrator/src/testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
let pool: pg.Pool;
/** A job with an event whose data matches no schema. */
let damaged: string;
/** A job with an event of an unregistered type, which this release treats as an event of a newer one. */
let newer: string;
let intact: string;

const until = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 30_000, interval: 100 });

async function startJob(): Promise<string> {
  const { jobId } = await client.submit({ agent: 'writer', tenant: randomUUID() });
  await until(async () => expect((await client.get(jobId)).status).toBe('running'));
  return jobId;
}

beforeAll(async () => {
  orchestrator = await startOrchestrator({ PHASELINE_RECONCILE_INTERVAL_MS: '500' });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  pool = createPool(orchestrator.databaseUrls.service, { max: 2 });
  [damaged, newer, intact] = [await startJob(), await startJob(), await startJob()];
  // Appends without the checks that all services make.
  const append = (jobId: string, type: string, data: object): Promise<unknown> =>
    new EventStore(pool).append({
      streamId: phaseStream(jobId, 1),
      correlationId: jobId,
      expectedVersion: 'any',
      events: [{ eventId: randomUUID(), type, schemaVersion: 1, data: data as never, metadata: {} }],
    });
  await append(damaged, 'ModelResponded', { ...phaseEvents.answered(1).data, costMicroUsd: 1.3e17 });
  await append(newer, 'CoffeeBrewed', { cups: 3 });
  // The read models have reached the events of both jobs.
  const listed = async (jobId: string): Promise<string | undefined> =>
    (await client.listPage({ limit: 100 })).items.find((job) => job.jobId === jobId)?.unreadableReason;
  await until(async () => expect(await listed(damaged)).toContain('costMicroUsd'));
});
afterAll(async () => {
  await pool.end();
  await orchestrator.stop();
});

async function phaseline(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const host = createFakeHost({
    env: { PHASELINE_URL: orchestrator.url, DATABASE_URL: orchestrator.databaseUrls.service },
    now: Date.now,
  });
  const code = await runCli(args, host);
  return { code, out: host.stdout.text, err: host.stderr.text };
}

/** Expects text for users without internals of the program. */
function expectPlain({ out, err }: { out: string; err: string }): void {
  expect(out + err).not.toMatch(/\n\s+at |node_modules|\.ts:\d|ZodError|undefined|\[object/);
}

describe('a job with an unreadable event', () => {
  it('is shown by status with the reason and what to do', async () => {
    const shown = await phaseline('status', damaged);
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/unreadable +event \d+ of stream phase-/);
    expect(shown.out).toContain(`phaseline cancel ${damaged}`);
    expect(shown.out).toContain(`phaseline fork ${damaged} --at POSITION`);
    expectPlain(shown);
  });

  it('is listed with the reason, next to other jobs', async () => {
    const shown = await phaseline('list');
    expect(shown.code).toBe(0);
    expect(shown.out).toContain('unreadable: event');
    expect(shown.out).toContain(intact);
    expectPlain(shown);
  });

  it('is shown by events with the unreadable one marked', async () => {
    const shown = await phaseline('events', damaged);
    expect(shown.code).toBe(0);
    const lines = shown.out.split('\n').filter((line) => line.includes('ModelResponded'));
    expect(lines).toEqual([expect.stringMatching(/unreadable: .*costMicroUsd/)]);
    expectPlain(shown);
  });

  it('is refused by replay with what to do, but can be replayed before the event', async () => {
    const refused = await phaseline('state', damaged);
    expect(refused.code).toBe(4);
    expect(refused.err).toMatch(/costMicroUsd/);
    expect(refused.err).toContain('phaseline cancel JOB');
    expectPlain(refused);
    const { items } = await client.eventPage(damaged);
    const position = items.find(({ type }) => type === 'ModelResponded')!.position;
    const before = await phaseline('state', damaged, '--at', String(position - 1));
    expect(before.code).toBe(0);
    expectPlain(before);
  });

  it('is refused by files with what to do', async () => {
    const refused = await phaseline('files', 'list', damaged);
    expect(refused.code).toBe(4);
    expect(refused.err).toContain('phaseline cancel JOB');
    expectPlain(refused);
  });

  it('is reported by doctor with the commands that cancel and fork it', async () => {
    const checked = await phaseline('doctor', '--only', 'readers', '--only', 'jobs');
    const lines = checked.out.split('\n').filter((line) => line.includes(damaged));
    expect(lines.join('\n')).toMatch(/cannot be read/);
    expect(checked.out).toContain(`phaseline cancel ${damaged}`);
    expect(checked.out).toMatch(new RegExp(`phaseline fork ${damaged} --at \\d+`));
    expect(checked.out).not.toContain(intact);
    expectPlain(checked);
  });

  it('ends watch with the reason', async () => {
    const watched = await phaseline('watch', damaged);
    expect(watched.code).toBe(1);
    expect(watched.out + watched.err).toContain(`phaseline cancel ${damaged}`);
    expectPlain(watched);
  });
});

describe('a job with an event of an unknown type', () => {
  it('is reported as one of a newer release, with what to do if there is none', async () => {
    for (const args of [
      ['state', newer],
      ['files', 'list', newer],
    ]) {
      const refused = await phaseline(...args);
      expect(refused.code, args[0]).toBe(5);
      expect(refused.err, args[0]).toMatch(/newer release/);
      expect(refused.err, args[0]).toContain('CoffeeBrewed');
      expect(refused.err, args[0]).toContain('fork the job at a position before it');
      expectPlain(refused);
    }
  });

  it('is listed, and its events are shown as stored', async () => {
    const listed = await phaseline('list');
    expect([listed.code, listed.out.includes(newer)]).toEqual([0, true]);
    const shown = await phaseline('events', newer);
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/CoffeeBrewed/);
    expectPlain(shown);
  });

  it('is reported by doctor', async () => {
    const { out } = await phaseline('doctor', '--only', 'readers', '--only', 'jobs');
    expect(out).toMatch(/CoffeeBrewed/);
    expect(out).toContain(newer);
  });
});

it('cancel ends the first job and fork continues the second, without affecting other jobs', async () => {
  const cancelled = await phaseline('cancel', damaged);
  expect([cancelled.code, cancelled.err]).toEqual([0, '']);
  expect((await client.get(damaged)).status).toBe('cancelled');
  const { rows } = await pool.query<{ position: string }>(
    `SELECT position FROM phaseline.events WHERE type = 'CoffeeBrewed'`,
  );
  const forked = await phaseline('fork', newer, '--at', String(Number(rows[0]!.position) - 1));
  expect(forked.code).toBe(0);
  expectPlain(forked);
  expect((await phaseline('status', intact)).code).toBe(0);
});
