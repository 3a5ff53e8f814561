import { randomUUID } from 'node:crypto';
import { PhaselineClient } from '@phaseline/client';
import { phaseStream } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../apps/cli/src/run-cli.js';
import { fakeHost } from '../../apps/cli/src/testing/fake-streams.js';
import {
  phaseEvents,
  startOrchestrator,
  type OrchestratorForSpecs,
} from '../../apps/orchestrator/src/testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
let pool: pg.Pool;
/** Has an event whose members no schema reads. */
let spoilt: string;
/** Has an event of a type that is registered nowhere, put in by hand: to this release, an event of a newer one. */
let newer: string;
let sound: string;

const until = (look: () => Promise<void>): Promise<void> => vi.waitFor(look, { timeout: 30_000, interval: 100 });

async function begun(): Promise<string> {
  const { jobId } = await client.submit({ agent: 'writer', tenant: randomUUID() });
  await until(async () => expect((await client.get(jobId)).status).toBe('running'));
  return jobId;
}

beforeAll(async () => {
  orchestrator = await startOrchestrator({ PHASELINE_RECONCILE_INTERVAL_MS: '500' });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  pool = createPool(orchestrator.databaseUrls.service, { max: 2 });
  [spoilt, newer, sound] = [await begun(), await begun(), await begun()];
  // A writer that does not check what it appends, as nobody of ours is.
  const append = (jobId: string, type: string, data: object): Promise<unknown> =>
    new EventStore(pool).append({
      streamId: phaseStream(jobId, 1),
      correlationId: jobId,
      expectedVersion: 'any',
      events: [{ eventId: randomUUID(), type, schemaVersion: 1, data: data as never, metadata: {} }],
    });
  await append(spoilt, 'ModelResponded', { ...phaseEvents.answered(1).data, costMicroUsd: 1.3e17 });
  await append(newer, 'CoffeeBrewed', { cups: 3 });
  // The read models have come to both.
  const listed = async (jobId: string): Promise<string | undefined> =>
    (await client.listPage({ limit: 100 })).items.find((job) => job.jobId === jobId)?.unreadable;
  await until(async () => expect(await listed(spoilt)).toContain('costMicroUsd'));
});
afterAll(async () => {
  await pool.end();
  await orchestrator.stop();
});

async function phaseline(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const host = fakeHost({
    env: { PHASELINE_URL: orchestrator.url, DATABASE_URL: orchestrator.databaseUrls.service },
    now: Date.now,
  });
  const code = await runCli(args, host);
  return { code, out: host.stdout.text, err: host.stderr.text };
}

/** A sentence, and no insides of the program. */
function expectPlain({ out, err }: { out: string; err: string }): void {
  expect(out + err).not.toMatch(/\n\s+at |node_modules|\.ts:\d|ZodError|undefined|\[object/);
}

describe('a job with an event that cannot be read, on the command line', () => {
  it('status shows the reason and what to do', async () => {
    const shown = await phaseline('status', spoilt);
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/unreadable +event \d+ of stream phase-/);
    expect(shown.out).toContain(`phaseline cancel ${spoilt}`);
    expect(shown.out).toContain(`phaseline fork ${spoilt} --at POSITION`);
    expectPlain(shown);
  });

  it('list shows it among others, with the reason', async () => {
    const shown = await phaseline('list');
    expect(shown.code).toBe(0);
    expect(shown.out).toContain('unreadable: event');
    expect(shown.out).toContain(sound);
    expectPlain(shown);
  });

  it('events shows all of them, and marks the one', async () => {
    const shown = await phaseline('events', spoilt);
    expect(shown.code).toBe(0);
    const lines = shown.out.split('\n').filter((line) => line.includes('ModelResponded'));
    expect(lines).toEqual([expect.stringMatching(/unreadable: .*costMicroUsd/)]);
    expectPlain(shown);
  });

  it('replay refuses it with the way out, and shows the job as it was before', async () => {
    const refused = await phaseline('replay', spoilt);
    expect(refused.code).toBe(4);
    expect(refused.err).toMatch(/costMicroUsd/);
    expect(refused.err).toContain('phaseline cancel JOB');
    expectPlain(refused);
    const { items } = await client.eventPage(spoilt);
    const position = items.find(({ type }) => type === 'ModelResponded')!.position;
    const before = await phaseline('replay', spoilt, '--at', String(position - 1));
    expect(before.code).toBe(0);
    expectPlain(before);
  });

  it('files refuses it with the way out', async () => {
    const refused = await phaseline('files', 'list', spoilt);
    expect(refused.code).toBe(4);
    expect(refused.err).toContain('phaseline cancel JOB');
    expectPlain(refused);
  });

  it('doctor names the job, with the commands that cancel and fork it', async () => {
    const looked = await phaseline('doctor', '--only', 'readers', '--only', 'jobs');
    const lines = looked.out.split('\n').filter((line) => line.includes(spoilt));
    expect(lines.join('\n')).toMatch(/cannot be read/);
    expect(looked.out).toContain(`phaseline cancel ${spoilt}`);
    expect(looked.out).toMatch(new RegExp(`phaseline fork ${spoilt} --at \\d+`));
    expect(looked.out).not.toContain(sound);
    expectPlain(looked);
  });

  it('watch ends and says why, instead of waiting for what nobody does', async () => {
    const watched = await phaseline('watch', spoilt);
    expect(watched.code).toBe(1);
    expect(watched.out + watched.err).toContain(`phaseline cancel ${spoilt}`);
    expectPlain(watched);
  });
});

describe('a job with an event of a type that this release does not know', () => {
  it('is told as one of a newer release, with what to do if there is none', async () => {
    for (const args of [
      ['replay', newer],
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

  it('is in lists, and its events are shown as they are stored', async () => {
    const listed = await phaseline('list');
    expect([listed.code, listed.out.includes(newer)]).toEqual([0, true]);
    const shown = await phaseline('events', newer);
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/CoffeeBrewed/);
    expectPlain(shown);
  });

  it('is named by doctor', async () => {
    const { out } = await phaseline('doctor', '--only', 'readers', '--only', 'jobs');
    expect(out).toMatch(/CoffeeBrewed/);
    expect(out).toContain(newer);
  });
});

it('the first is cancelled and the second forked from the command line, and others go on', async () => {
  const cancelled = await phaseline('cancel', spoilt);
  expect([cancelled.code, cancelled.err]).toEqual([0, '']);
  expect((await client.get(spoilt)).status).toBe('cancelled');
  const { rows } = await pool.query<{ position: string }>(
    `SELECT position FROM phaseline.events WHERE type = 'CoffeeBrewed'`,
  );
  const forked = await phaseline('fork', newer, '--at', String(Number(rows[0]!.position) - 1));
  expect(forked.code).toBe(0);
  expectPlain(forked);
  expect((await phaseline('status', sound)).code).toBe(0);
});
