import { createAnchors, openAuditKey } from '@phaseline/audit';
import { PhaselineClient, type ActionRecord, type Verification } from '@phaseline/client';
import { createPool } from '@phaseline/event-store';
import { mkdtemp, rm } from 'node:fs/promises';
import { userInfo, tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildActionsQuery } from './read-actions.js';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
let pool: pg.Pool;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-audit-'));
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  pool = createPool(orchestrator.databaseUrls.service, { max: 2 });
});
afterAll(async () => {
  await pool.end();
  await orchestrator.stop();
  await rm(folder, { recursive: true });
});

async function verify(request: Parameters<PhaselineClient['audit']['startVerification']>[0]): Promise<Verification> {
  const { id } = await client.audit.startVerification(request);
  await expect.poll(async () => (await client.audit.verification(id)).status).not.toBe('running');
  return client.audit.verification(id);
}

async function listActions(query: Parameters<PhaselineClient['audit']['actions']>[0]): Promise<ActionRecord[]> {
  const found: ActionRecord[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await client.audit.actions({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.items);
    if (page.nextCursor === undefined) return found;
    cursor = page.nextCursor;
  }
}

describe('the audit routes', () => {
  it('list anchors newest first, and verify the log and one job', async () => {
    expect(await client.audit.anchors()).toEqual({ items: [], hasKey: false });
    const { jobId } = await client.submit({ agent: 'writer' });
    await client.submit({ agent: 'writer' });
    const key = await openAuditKey(join(folder, 'key.pem'));
    await expect.poll(() => createAnchors(pool, key, { now: () => new Date() })).not.toEqual([]);
    const { items } = await client.audit.anchors();
    expect(items[0]).toMatchObject({ keyId: key.keyId, receipt: 'unknown', streams: items[0]!.streams });
    expect(items.at(-1)?.number).toBe(1);

    const whole = await verify({});
    expect(whole).toMatchObject({ status: 'completed', report: { passed: true, problemCount: 0, problems: [] } });
    expect(whole.report).toMatchObject({ anchors: items.length, keyIds: [key.keyId], claims: 0, derivedClaims: 0 });
    expect(whole.progress.events).toBe(whole.report?.events);
    const one = await verify({ jobId });
    expect(one).toMatchObject({ jobId, status: 'completed', report: { passed: true } });
    expect(one.report!.events).toBeLessThan(whole.report!.events);
    await expect(
      client.audit.startVerification({ jobId: '00000000-0000-7000-8000-000000000000' }),
    ).rejects.toMatchObject({
      code: 'job_not_found',
    });
    await expect(client.audit.verification('00000000-0000-7000-8000-000000000000')).rejects.toMatchObject({
      code: 'run_not_found',
    });
  });

  it('name the event that was changed in the database', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    const owner = createPool(orchestrator.databaseUrls.owner, { max: 1 });
    try {
      await owner.query('ALTER TABLE phaseline.events DISABLE TRIGGER USER');
      await owner.query(`UPDATE phaseline.events SET metadata = '{}' WHERE stream_id = $1 AND version = 1`, [
        `job-${jobId}`,
      ]);
    } finally {
      await owner.end();
    }
    const { report } = await verify({ jobId });
    expect(report).toMatchObject({ passed: false, problemCount: 1 });
    expect(report?.problems).toMatchObject([{ kind: 'altered', streamId: `job-${jobId}`, version: 1 }]);
  });

  it('list what persons and keys did, latest first, in pages and with filters', async () => {
    const me = userInfo().username;
    await client.principals.create({ id: 'reader', kind: 'service' });
    await client.principals.grant('reader', { role: 'viewer', tenant: 'default' });
    const jobs: string[] = [];
    for (let count = 0; count < 3; count += 1) jobs.unshift((await client.submit({ agent: 'writer' })).jobId);
    const ofJobs = async () => (await listActions({ action: 'JobSubmitted', limit: 2 })).map(({ jobId }) => jobId);
    await expect.poll(async () => (await ofJobs()).slice(0, 3)).toEqual(jobs);
    const all = await listActions({});
    expect(all.every(({ actor }) => actor.id === me)).toBe(true);
    expect(all.map(({ action }) => action)).toEqual(expect.arrayContaining(['PrincipalCreated', 'RoleGranted']));
    expect(await listActions({ actor: 'nobody' })).toEqual([]);
    expect(await listActions({ actor: me, jobId: jobs[0] as never })).toMatchObject([
      { action: 'JobSubmitted', tenant: 'default' },
    ]);
    await expect(client.audit.actions({ cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_request' });

    const { key } = await client.keys.create({ principal: 'reader' });
    const reader = new PhaselineClient({ baseUrl: orchestrator.url, apiKey: key, retries: 0 });
    const seen = (await reader.audit.actions()).items;
    expect(seen.every(({ tenant }) => tenant === 'default')).toBe(true);
    expect(seen.length).toBeGreaterThanOrEqual(3);
    await expect(reader.audit.anchors()).rejects.toMatchObject({ code: 'forbidden' });
    await expect(reader.audit.startVerification()).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('read a bounded part of the log per page, by its index', async () => {
    const owner = createPool(orchestrator.databaseUrls.owner, { max: 1 });
    try {
      await owner.query(
        `INSERT INTO phaseline.events (version, transaction_id, recorded_at, event_id, schema_version, stream_id, type, correlation_id, hash, data, metadata)
         SELECT 1, pg_current_xact_id(), now(), gen_random_uuid(), 1, 'filler-' || n, 'TodoCompleted', 'filler-' || n, '\\x00', '{}', '{}'
         FROM generate_series(1, 20000) AS n`,
      );
      await owner.query('ANALYZE phaseline.events');
    } finally {
      await owner.end();
    }
    // Processes recorded the newest 20,000 events, so four pages are empty.
    let page = await client.audit.actions({ actor: 'root-of-nothing' });
    let pages = 1;
    for (; page.nextCursor !== undefined; pages += 1)
      page = await client.audit.actions({ actor: 'root-of-nothing', cursor: page.nextCursor });
    expect(pages).toBe(5);
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT position FROM phaseline.events WHERE (transaction_id, position) < ('999999999', 9)
       ORDER BY transaction_id DESC, position DESC LIMIT 5000`,
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index (?:Only )?Scan Backward using events_tail/);
  });

  it('find the job of each action by the primary key, however many jobs there are', async () => {
    const connection = await pool.connect();
    try {
      // The table of the spec is so small that reading all of it is cheapest.
      for (const way of ['seqscan', 'hashjoin', 'mergejoin']) await connection.query(`SET enable_${way} = off`);
      const { rows } = await connection.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${buildActionsQuery(false)}`, [
        ...[null, null, null, null, true, null, null, null],
        20,
      ]);
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('Index Cond: (job_id = ');
    } finally {
      connection.release(true);
    }
  });
});
