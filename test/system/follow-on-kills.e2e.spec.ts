import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PhaselineClient, ServerUnreachable } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { EventStore } from '@phaseline/event-store';
import { JobRepository } from '@phaseline/repository';
import { createTestDatabase, createTestPool, type TestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFreePorts } from '../../apps/cli/src/stack/find-free-ports.js';

/**
 * The orchestrator is killed at both fault points of a follow-on job and at random times while several tenants fill the cache. Each batch gets
 * one job, and each requirement is in one batch.
 */
const program = fileURLToPath(new URL('../../dist/services/orchestrator.js', import.meta.url));
const TENANTS = 4;
const WRITES = 4;
const REQUIREMENTS_PER_WRITE = 5;
const BATCH = 6;
const RANDOM_KILLS = 6;

const agent = (name: string, more = ''): string =>
  `name: ${name}\ndisplayName: ${name}\nworkflow: short\ntools: {}\n${more}`;
const files: Readonly<Record<string, string>> = {
  'workflows/short.yaml': `
name: short
version: 1
start: plan
states:
  plan: { kind: strategic, title: Plan, todos: [Look], finish: done, outcomes: { done: { end: completed } } }
`,
  'agents/writer/agent.yaml': agent('writer'),
  'agents/writer/instructions.md': 'Write.\n',
  'agents/checker/agent.yaml': agent('checker', `startWhen: { cache: open, batch: ${BATCH} }\n`),
  'agents/checker/instructions.md': 'Check.\n',
  'models/default.yaml': 'name: default\nmodel: none\n',
};

let folder: string;
let database: TestDatabase;
let pool: pg.Pool;
let port: number;
let client: PhaselineClient;
let orchestrator: ChildProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'follow-on-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  database = await createTestDatabase();
  pool = createTestPool({ connectionString: database.serviceUrl, max: 4 });
  [port] = (await findFreePorts(1)) as [number];
  client = new PhaselineClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 12 });
});
afterAll(async () => {
  await kill();
  await pool?.end();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

function start(faults?: string): void {
  orchestrator = spawn(process.execPath, [program], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: database.serviceUrl,
      PORT: String(port),
      PHASELINE_AGENTS_DIR: join(folder, 'agents'),
      PHASELINE_WORKFLOWS_DIR: join(folder, 'workflows'),
      PHASELINE_MODELS_DIR: join(folder, 'models'),
      PHASELINE_SHIPPED_DEFINITIONS: '0',
      PHASELINE_MAX_RUNNING_PHASES: '1000',
      ...(faults === undefined ? {} : { PHASELINE_FAULT_POINTS: faults }),
    },
  });
}

async function kill(): Promise<void> {
  if (!orchestrator || orchestrator.exitCode !== null || orchestrator.signalCode !== null) return;
  orchestrator.kill('SIGKILL');
  await once(orchestrator, 'exit');
}

/** Writes requirements to the cache and records it, as a call of the job would. */
async function write(repository: JobRepository, jobId: JobId, tenant: string): Promise<void> {
  const callId = `call_${randomUUID()}`;
  const entries = Array.from({ length: REQUIREMENTS_PER_WRITE }, () => {
    const digest = `${randomUUID()}${randomUUID()}`.replaceAll('-', '');
    const rest = { id: digest, text: digest, modality: 'obligation', section: [], citation: {}, confidence: 1 };
    return { digest, ...rest };
  });
  await pool.query('SELECT * FROM phaseline.cache_requirements($1, $2, $3, $4)', [
    ...[tenant, jobId, callId, JSON.stringify(entries)],
  ]);
  const data = { callId, tenant, collection: tenant, added: entries.length, duplicates: 0 };
  await expect.poll(() => repository.loadPhase(jobId, 1), { timeout: 30_000 }).toBeDefined();
  const phase = (await repository.loadPhase(jobId, 1))!;
  const origin = { actor: { id: 'spec', kind: 'process' } } as const;
  await repository.appendToPhase(phase, [{ type: 'RequirementsCached', data }], { origin });
}

/** Cancels a job, again while the orchestrator is killed. The client repeats no request that is refused or lost. */
async function cancel(jobId: JobId): Promise<void> {
  const attempt = (): Promise<unknown> => client.cancel(jobId).catch((error: unknown) => error);
  await expect.poll(attempt, { timeout: 60_000 }).not.toBeInstanceOf(ServerUnreachable);
}

async function listSubmitted(): Promise<{ tenant: string; jobId: JobId; batch: number; requirements: number }[]> {
  const { rows } = await pool.query<{ tenant: string; jobId: JobId; batch: number; requirements: number }>(
    `SELECT data ->> 'tenant' AS tenant, data ->> 'jobId' AS "jobId", (data -> 'followOn' ->> 'batch')::int AS batch,
       (data -> 'followOn' ->> 'requirements')::int AS requirements
     FROM phaseline.events WHERE type = 'JobSubmitted' AND data -> 'followOn' IS NOT NULL ORDER BY 1, 3`,
  );
  return rows;
}

it('starts one job per batch, whenever the orchestrator is killed', { timeout: 240_000 }, async () => {
  const repository = new JobRepository(new EventStore(pool));
  const tenants = Array.from({ length: TENANTS }, (_, number) => `tenant-${number}`);
  const total = WRITES * REQUIREMENTS_PER_WRITE;
  const sizes = [...Array.from({ length: Math.floor(total / BATCH) }, () => BATCH), total % BATCH];
  start('follow-on.formed:kill');
  const writers = await Promise.all(
    tenants.map(async (tenant) => ({ tenant, jobId: (await client.submit({ agent: 'writer', tenant })).jobId })),
  );
  let isOver = false;
  const killer = (async (): Promise<void> => {
    // The process kills itself at the first fault point, and the next one at the second.
    for (const faults of ['follow-on.submitted:kill', undefined]) {
      if (orchestrator!.signalCode === null) await once(orchestrator!, 'exit');
      start(faults);
    }
    for (let kills = 0; kills < RANDOM_KILLS && !isOver; kills += 1) {
      await sleep(300 + Math.random() * 2_500);
      await kill();
      start();
    }
  })();
  for (let writes = 0; writes < WRITES; writes += 1)
    for (const { tenant, jobId } of writers) await write(repository, jobId, tenant);
  for (const { jobId } of writers) await cancel(jobId);
  const seen = new Set<JobId>();
  await expect
    .poll(
      async () => {
        const submitted = await listSubmitted();
        for (const { jobId } of submitted.filter((job) => !seen.has(job.jobId))) {
          await cancel(jobId);
          seen.add(jobId);
        }
        return submitted.length;
      },
      { timeout: 180_000, interval: 100 },
    )
    .toBe(TENANTS * sizes.length);
  isOver = true;
  await killer;
  const expected = tenants.flatMap((tenant) =>
    sizes.map((requirements, index) => ({ tenant, batch: index + 1, requirements })),
  );
  expect((await listSubmitted()).map(({ jobId: _jobId, ...batch }) => batch)).toEqual(expected);
  const { rows } = await pool.query<{ entries: number; batches: number }>(
    'SELECT count(*)::int AS entries, count(DISTINCT job_id)::int AS batches FROM phaseline.follow_on_requirements',
  );
  expect(rows).toEqual([{ entries: TENANTS * total, batches: TENANTS * sizes.length }]);
});
