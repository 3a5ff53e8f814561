import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { userInfo, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnchors, openAuditKey } from '@phaseline/audit';
import { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { PhaseEvent } from '@phaseline/domain';
import { createPool } from '@phaseline/event-store';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../apps/cli/src/run-cli.js';
import { createFakeHost } from '../../apps/cli/src/testing/fake-streams.js';
import {
  startOrchestrator,
  type OrchestratorForSpecs,
} from '../../apps/orchestrator/src/testing/orchestrator-for-specs.js';

let folder: string;
let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
let pool: pg.Pool;
/** Jobs in the order in which they were submitted; the first one waits for a tool. */
const jobIds: JobId[] = [];

const openCall: PhaseEvent = {
  type: 'ToolCallRequested',
  data: {
    ...{ callId: 'call-1', step: 1, name: 'fetch', arguments: {}, lane: 'remote', effect: 'pure' },
    ...{ traits: [], timeoutMs: 1_000 },
  },
};

const until = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 100 });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-cli-audit-'));
  const key = await openAuditKey(join(folder, 'key.pem'));
  orchestrator = await startOrchestrator({
    PHASELINE_AUDIT_KEY_FILE: join(folder, 'key.pem'),
    // The log is anchored by the spec alone.
    PHASELINE_AUDIT_ANCHOR_INTERVAL_MS: '3600000',
  });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  pool = createPool(orchestrator.databaseUrls.service, { max: 2 });
  for (let count = 0; count < 3; count += 1) jobIds.push((await client.submit({ agent: 'writer' })).jobId);
  await orchestrator.inPhase(jobIds[0]!, 1, [openCall]);
  await until(async () => expect((await client.get(jobIds[0]!)).phase?.state).toBe('plan'));
  // Lists of actions name a job when the read models contain it.
  await until(async () => {
    const listed: JobId[] = [];
    for await (const { jobId } of client.list({})) listed.push(jobId);
    expect(listed).toHaveLength(jobIds.length);
  });
  await until(async () => expect(await createAnchors(pool, key, { now: () => new Date() })).not.toEqual([]));
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await orchestrator?.stop();
  await rm(folder, { recursive: true });
});

async function phaseline(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { PHASELINE_URL: orchestrator.url };
  const host = createFakeHost({ env, now: Date.now, currentDirectory: folder });
  const code = await runCli(args, host);
  return { code, out: host.stdout.text, err: host.stderr.text };
}

async function readJson<Result>(...args: string[]): Promise<Result> {
  const { code, out, err } = await phaseline(...args, '--json');
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as Result;
}

interface Listed {
  readonly items: readonly { readonly jobId?: string; readonly action: string; readonly number: number }[];
  readonly hasMore: boolean;
}

describe('phaseline audit actions', () => {
  const submitted = ['audit', 'actions', '--action', 'JobSubmitted'] as const;

  it('lists who did what, latest first', async () => {
    const { code, out } = await phaseline(...submitted);
    expect(code).toBe(0);
    const [title, ...lines] = out.trimEnd().split('\n');
    expect(title).toMatch(/^WHEN +WHO +ACTION +TENANT +CONCERNING$/);
    expect(lines.map((line) => line.split('job ')[1])).toEqual(jobIds.toReversed());
    for (const line of lines) expect(line).toContain(userInfo().username);
  });

  it('filters by job, principal and time, and says how many it left out', async () => {
    const ofJob = await readJson<Listed>('audit', 'actions', '--job', jobIds[1]!);
    expect(ofJob.items.map(({ jobId, action }) => [jobId, action])).toEqual([[jobIds[1], 'JobSubmitted']]);
    const first = await readJson<Listed>(...submitted, '--limit', '2');
    expect(first.items.map(({ jobId }) => jobId)).toEqual([jobIds[2], jobIds[1]]);
    expect(first.hasMore).toBe(true);
    expect((await phaseline(...submitted, '--limit', '2')).err).toContain('--limit 10');
    expect((await readJson<Listed>(...submitted, '--since', '2099-01-01')).items).toEqual([]);
    expect((await readJson<Listed>(...submitted, '--since', '1h')).items).toHaveLength(3);
    const nobody = await phaseline('audit', 'actions', '--principal', 'nobody');
    expect([nobody.code, nobody.out]).toEqual([0, '']);
    expect(nobody.err).toContain('Nobody did that');
  });
});

describe('phaseline audit', () => {
  it('lists anchors', async () => {
    const { items } = await readJson<Listed>('audit', 'anchors');
    expect(items.at(-1)?.number).toBe(1);
    const { out } = await phaseline('audit', 'anchors', '--limit', '1');
    expect(out).toMatch(/^ANCHOR +WHEN +EVENTS +STREAMS +CHANGED +RECEIPT +KEY\n +\d+ .* unknown +[0-9a-f]{64}\n$/);
  });

  it('stores the export of a job, which verifies without a database, and replaces no file', async () => {
    const { code, out } = await phaseline('audit', 'download', jobIds[0]!, '--out', 'job.tar.gz', '--with-files');
    expect(code).toBe(0);
    expect(out).toContain(join(folder, 'job.tar.gz'));
    const { size } = await stat(join(folder, 'job.tar.gz'));
    const again = await phaseline('audit', 'download', jobIds[0]!, '--out', 'job.tar.gz');
    expect([again.code, again.err.includes('exists')]).toEqual([4, true]);
    expect((await stat(join(folder, 'job.tar.gz'))).size).toBe(size);
    const missing = await phaseline('audit', 'download', '00000000-0000-7000-8000-000000000000', '--out', 'no.tar.gz');
    expect(missing.code).toBe(3);
    expect((await readdir(folder)).toSorted()).toEqual(['job.tar.gz', 'key.pem']);
  });

  it('lets the server verify the log and one job, and fails when an event was changed', async () => {
    const whole = await phaseline('audit', 'check');
    expect(whole.out).toMatch(/^✓ audit verify passed: \d+ events in \d+ streams.*, \d+ anchors? checked, 0 of 0/);
    expect(whole.code).toBe(0);
    const job = jobIds[2]!;
    const one = await readJson<{ jobId: string; status: string }>('audit', 'check', '--job', job, '--no-files');
    expect(one).toMatchObject({ jobId: job, status: 'completed', report: { passed: true, problemCount: 0 } });
    const owner = createPool(orchestrator.databaseUrls.owner, { max: 1 });
    try {
      await owner.query('ALTER TABLE phaseline.events DISABLE TRIGGER USER');
      const change = `UPDATE phaseline.events SET metadata = '{}' WHERE stream_id = $1 AND version = 1`;
      await owner.query(change, [`job-${job}`]);
    } finally {
      await owner.end();
    }
    const changed = await phaseline('audit', 'check', '--job', job);
    expect(changed.code).toBe(1);
    expect(changed.out).toContain(`job-${job} version 1 altered`);
  });
});

describe('the course of a job', () => {
  it('is drawn as a timeline, and is data with --json', async () => {
    const { code, out } = await phaseline('timeline', jobIds[0]!);
    expect(code).toBe(0);
    expect(out).toMatch(/^\d{4}-\d{2}-\d{2} [\d:]{8} to /);
    expect(out).toMatch(/\n {2}1 Plan +.*▒.* 0:\d\d running\n/);
    const data = await readJson<{ phases: readonly { readonly state: string }[] }>('timeline', jobIds[0]!);
    expect(data).toMatchObject({ jobId: jobIds[0], phases: [{ phase: 1, state: 'plan' }] });
    const empty = await phaseline('timeline', jobIds[0]!, '--to', '2001-01-01');
    expect(empty).toEqual({ code: 0, out: '', err: 'The job has no phase in this time.\n' });
  });

  it('is shown in its workflow, with the state in which it is', async () => {
    const { code, out } = await phaseline('workflow', jobIds[0]!);
    expect(code).toBe(0);
    expect(out).toContain('Workflow short, version 1; the job is running in plan');
    expect(out).toContain('▶ plan: Plan  (now, strategic, start, 1 phase)');
    expect(out).toContain('\n    planned → review\n');
    expect(out).toContain('\n    completed → the job ends: completed\n');
    expect(out).toContain('  review: Review  (strategic, 0 phases)');
    const data = await readJson<{ states: readonly object[] }>('workflow', jobIds[0]!);
    expect(data).toMatchObject({ name: 'short', status: 'running', current: 'plan' });
    expect(data.states).toMatchObject([
      { name: 'plan', phases: 1 },
      { name: 'review', phases: 0 },
    ]);
  });

  it('is unknown for a job that does not exist', async () => {
    for (const command of ['timeline', 'workflow'])
      expect((await phaseline(command, '00000000-0000-7000-8000-000000000000')).code).toBe(3);
  });
});
