import { randomUUID } from 'node:crypto';
import { StagedWorkspace } from '@phaseline/workspace';
import { createTestDatabase, type TestDatabase, createTestPool } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PhaseEvent } from '@phaseline/domain';
import type { RemoteTool } from '@phaseline/tools';
import { createCachePack } from './cache-pack.js';
import { PostgresRequirementCache } from './postgres-requirement-cache.js';
import { digestRequirement } from './digest-requirement.js';
import type { NewRequirement } from './requirement-cache.js';

let database: TestDatabase;
let pool: pg.Pool;
let owner: pg.Pool;
let cache: PostgresRequirementCache;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createTestPool({ connectionString: database.serviceUrl, max: 12 });
  owner = createTestPool({ connectionString: database.ownerUrl, max: 1 });
  cache = new PostgresRequirementCache(pool);
});
afterAll(async () => {
  await pool.end();
  await owner.end();
  await database.drop();
});

const HOUR_MS = 3_600_000;
const requirement = (n: number, text = `The gate number ${n} must be closed.`): NewRequirement => ({
  id: `REQ-${n}`,
  text,
  modality: 'obligation',
  section: ['Gates'],
  citation: { document: 'documents/spec.md', lines: { from: n, to: n }, quote: text },
  confidence: 0.9,
});
const newCall = (collection: string, jobId = randomUUID()) => ({ collection, jobId, callId: `call_${randomUUID()}` });
/** Lets the leases of all claims in a collection expire. */
const expireLeases = (collection: string) =>
  owner.query(
    `UPDATE phaseline.cached_requirements SET lease_expires_at = now() - interval '1 second' WHERE collection = $1 AND status = 'claimed'`,
    [collection],
  );

describe('requirement cache', () => {
  it('never gives an entry to two concurrent claimers', async () => {
    const collection = randomUUID();
    const all = Array.from({ length: 60 }, (_, i) => requirement(i + 1));
    await cache.write(newCall(collection), all);
    const claimers = Array.from({ length: 12 }, () => async (): Promise<number[]> => {
      const mine: number[] = [];
      for (;;) {
        const got = await cache.claim(newCall(collection), { limit: 2, leaseMs: HOUR_MS });
        if (got.length === 0) return mine;
        mine.push(...got.map(({ entry }) => entry));
      }
    });
    const claimed = (await Promise.all(claimers.map((claimAll) => claimAll()))).flat();
    expect(claimed).toHaveLength(60);
    expect(new Set(claimed).size).toBe(60);
  });

  it('gives an entry to another claimer after the lease expired, and rejects the late outcome of the first', async () => {
    const collection = randomUUID();
    await cache.write(newCall(collection), [requirement(1)]);
    const firstClaimer = newCall(collection);
    const [first] = await cache.claim(firstClaimer, { limit: 1, leaseMs: HOUR_MS });
    expect(await cache.claim(newCall(collection), { limit: 1, leaseMs: HOUR_MS })).toEqual([]);
    await expireLeases(collection);
    const done = { entry: first!.entry, outcome: 'done', note: undefined, leaseMs: HOUR_MS } as const;
    const lateCall = { ...firstClaimer, callId: 'late' };
    expect(await cache.endClaim(lateCall, { ...done, token: first!.token })).toMatchObject({ accepted: false });
    const secondClaimer = newCall(collection);
    const [second] = await cache.claim(secondClaimer, { limit: 1, leaseMs: HOUR_MS });
    expect(second).toMatchObject({ entry: first!.entry, token: first!.token + 1 });
    expect(await cache.endClaim(lateCall, { ...done, token: first!.token })).toMatchObject({
      accepted: false,
      token: 2,
    });
    // The token alone is not enough: the claim belongs to a job.
    expect(await cache.endClaim(lateCall, { ...done, token: second!.token })).toMatchObject({ accepted: false });
    expect(await cache.endClaim(secondClaimer, { ...done, token: second!.token })).toMatchObject({
      accepted: true,
      status: 'done',
    });
    expect(await cache.countByStatus(collection)).toEqual({ pending: 0, claimed: 0, done: 1, failed: 0 });
  });

  it('rejects an earlier token of the same job after the job claimed the entry again', async () => {
    const collection = randomUUID();
    await cache.write(newCall(collection), [requirement(1)]);
    const job = newCall(collection);
    const [first] = await cache.claim(job, { limit: 1, leaseMs: HOUR_MS });
    await expireLeases(collection);
    const [second] = await cache.claim({ ...job, callId: 'again' }, { limit: 1, leaseMs: HOUR_MS });
    const end = { entry: first!.entry, outcome: 'failed', note: 'stale', leaseMs: HOUR_MS } as const;
    expect(await cache.endClaim({ ...job, callId: 'end' }, { ...end, token: first!.token })).toMatchObject({
      accepted: false,
    });
    expect(await cache.endClaim({ ...job, callId: 'end' }, { ...end, token: second!.token })).toMatchObject({
      accepted: true,
    });
  });

  it('applies a repeated call once, whether it repeats concurrently or later', async () => {
    const collection = randomUUID();
    const call = newCall(collection);
    const results = await Promise.all(
      Array.from({ length: 6 }, () => cache.write(call, [requirement(1), requirement(2)])),
    );
    for (const result of results) expect(result).toEqual(results[0]);
    expect(results[0]?.map(({ isNew }) => isNew)).toEqual([true, true]);
    expect(await cache.countByStatus(collection)).toMatchObject({ pending: 2 });

    const claim = newCall(collection);
    const claims = await Promise.all(
      Array.from({ length: 6 }, () => cache.claim(claim, { limit: 1, leaseMs: HOUR_MS })),
    );
    expect(new Set(claims.flat().map(({ entry, token }) => `${entry}/${token}`)).size).toBe(1);
    const [held] = claims[0] ?? [];
    const end = { entry: held!.entry, token: held!.token, outcome: 'done', note: 'ok', leaseMs: HOUR_MS } as const;
    const ends = await Promise.all(Array.from({ length: 4 }, () => cache.endClaim({ ...claim, callId: 'end' }, end)));
    expect(ends.map((result) => result?.accepted)).toEqual([true, true, true, true]);
    expect(await cache.countByStatus(collection)).toMatchObject({ pending: 1, done: 1 });
  });

  it('recognises a requirement with the same wording, and keeps its second citation', async () => {
    const collection = randomUUID();
    const writer = newCall(collection);
    await cache.write(writer, [requirement(1, 'The gate must be “closed” at night.')]);
    const second = newCall(collection);
    const [result] = await cache.write(second, [requirement(9, 'the Gate  must be "closed" at night')]);
    expect(result).toMatchObject({ isNew: false, id: 'REQ-1', writtenBy: writer.jobId, status: 'pending' });
    const { rows } = await pool.query('SELECT * FROM phaseline.requirement_statements WHERE entry_id = $1', [
      result?.entry,
    ]);
    expect(rows.map((row) => row.requirement_id).sort()).toEqual(['REQ-1', 'REQ-9']);
    // Another collection does not have the requirement.
    expect(
      await cache.write(newCall(randomUUID()), [requirement(1, 'The gate must be closed at night.')]),
    ).toMatchObject([{ isNew: true }]);
  });

  it('marks an entry failed after five claims have expired', async () => {
    const collection = randomUUID();
    await cache.write(newCall(collection), [requirement(1)]);
    for (let i = 0; i < 5; i += 1) {
      expect(await cache.claim(newCall(collection), { limit: 1, leaseMs: HOUR_MS })).toHaveLength(1);
      await expireLeases(collection);
    }
    expect(await cache.claim(newCall(collection), { limit: 1, leaseMs: HOUR_MS })).toEqual([]);
    expect(await cache.countByStatus(collection)).toMatchObject({ failed: 1, claimed: 0 });
  });

  it('does not let the service role change or delete entries directly', async () => {
    for (const statement of [
      `UPDATE phaseline.cached_requirements SET status = 'done'`,
      'DELETE FROM phaseline.cached_requirements',
      'DELETE FROM phaseline.requirement_statements',
      'DELETE FROM phaseline.requirement_outcomes',
    ])
      await expect(pool.query(statement)).rejects.toMatchObject({ code: '42501' });
  });
});

describe('digestRequirement', () => {
  it.each([
    ['The gate must be closed.', 'the GATE, must be closed', true],
    ['Lines are kept for 2.5 s.', 'Lines are kept for 25 s.', false],
    ['Lines are kept for 2,5 s.', 'Lines are kept for 2.5 s.', false],
    ['The value is < 5 %', 'The value is > 5 %', false],
    ['Die Größe – ohne Rand – zählt.', 'Die Größe, ohne Rand, zählt', true],
  ])('%s ~ %s: %s', (one, other, same) => {
    expect(digestRequirement(one) === digestRequirement(other)).toBe(same);
  });
});

describe('createCachePack', () => {
  const tenants: Record<string, string> = {};
  const events: PhaseEvent[] = [];
  const workspace = new StagedWorkspace({}, { get: async () => undefined });
  const call = async (jobId: string, name: string, args: object, callId: string = randomUUID()): Promise<string> => {
    const pack = createCachePack({ database: pool, getTenant: async (id) => tenants[id] ?? 'default' });
    const tool = pack.tools.find((candidate) => candidate.name === name) as RemoteTool;
    const signal = new AbortController().signal;
    const recordEvent = (event: PhaseEvent): void => void events.push(event);
    const context = { jobId, callId, attempt: 1, signal, workspace, recordEvent };
    return (await tool.run(context, tool.input.parse(args))).content;
  };
  const job = (tenant: string): string => {
    const id = randomUUID();
    tenants[id] = tenant;
    return id;
  };

  it('writes requirements from a file, claims and ends them, within one tenant', async () => {
    const [creator, validator, stranger] = [job('a'), job('a'), job('b')];
    const file = {
      schema: 'x',
      requirements: [{ ...requirement(1), keyword: 'must' }, requirement(2, 'A\u0000 \ud800b')],
    };
    workspace.stage([{ path: 'output/requirements.json', content: Buffer.from(JSON.stringify(file)) }], new Date(0));
    expect(await call(creator, 'write_requirement_to_cache', { file: 'output/requirements.json' })).toMatch(
      /^Wrote 2 of 2/,
    );
    expect(
      await call(validator, 'write_requirement_to_cache', {
        requirements: [{ ...requirement(7), text: requirement(1).text }],
      }),
    ).toMatch(/^Wrote 0 of 1 .*\n- REQ-7: duplicate of entry \d+ \(REQ-1, by job /);
    expect(events).toMatchObject([
      { type: 'RequirementsCached', data: { tenant: 'a', collection: 'a', added: 2, duplicates: 0 } },
      { type: 'RequirementsCached', data: { tenant: 'a', collection: 'a', added: 0, duplicates: 1 } },
    ]);
    expect(await call(stranger, 'claim_requirements_from_cache', {})).toBe('No requirements are pending.');
    const claimed = await call(validator, 'claim_requirements_from_cache', {});
    const { entry, token, citation } = JSON.parse(claimed.split('\n')[1] ?? '') as Record<string, unknown>;
    expect(citation).toMatchObject({ document: 'documents/spec.md' });
    await expect(call(stranger, 'mark_cached_requirement', { entry, token, outcome: 'done' })).rejects.toMatchObject({
      code: 'no_entry',
    });
    await expect(call(creator, 'mark_cached_requirement', { entry, token, outcome: 'done' })).rejects.toMatchObject({
      code: 'claim_lost',
    });
    expect(await call(validator, 'mark_cached_requirement', { entry, token, outcome: 'renew' })).toMatch(
      /was extended until/,
    );
    await call(validator, 'mark_cached_requirement', { entry, token, outcome: 'done', note: 'in the graph' });
    const list = await call(creator, 'list_cached_requirements', { limit: 1 });
    expect(list).toMatch(
      /^pending: 1, claimed: 0, done: 1, failed: 0\n- \d+ REQ-1 done .*\[in the graph\]\nMore entries exist/,
    );
    expect(await call(creator, 'list_cached_requirements', { status: 'pending', contains: 'req-2' })).toContain(
      'REQ-2',
    );
    expect(await call(stranger, 'list_cached_requirements', {})).toBe('pending: 0, claimed: 0, done: 0, failed: 0');
  });
});
