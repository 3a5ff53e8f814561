import { stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAuditKey, readAuditKey } from '../key/audit-key.js';
import { AuditedLog } from '../testing/audited-log.fixture.js';
import { createAnchors } from './create-anchors.js';
import { readLastAnchor } from './read-anchors.js';
import { verifyAnchors } from './verify-anchors.js';

let log: AuditedLog;
beforeAll(async () => {
  log = await AuditedLog.create();
});
afterAll(() => log.close());
const now = (): Date => new Date();

describe('createAnchors', () => {
  it('creates no anchor for an empty log', async () => {
    expect(await createAnchors(log.service, log.key, { now })).toEqual([]);
  });

  it('splits many new events into several anchors and covers each event once', async () => {
    for (const stream of ['a', 'b', 'c']) await log.append(stream, 4);
    for (let events = 0; events < 12;) {
      await createAnchors(log.service, log.key, { now, maxEventsPerAnchor: 5 });
      events = (await readLastAnchor(log.service))?.events ?? 0;
    }
    const report = await verifyAnchors(log.service);
    expect(report).toMatchObject({ last: { streams: 3, events: 12 }, problems: [], keyIds: [log.key.keyId] });
    expect(report.anchors).toBeGreaterThanOrEqual(3);
  });

  it('covers only streams that changed since the last anchor, and creates none if nothing changed', async () => {
    const before = (await readLastAnchor(log.service))!.number;
    expect(await createAnchors(log.service, log.key, { now })).toEqual([]);
    await log.append('b', 2);
    await log.anchorAll();
    const { rows } = await log.service.query(
      'SELECT stream_id, version FROM phaseline.anchored_heads WHERE anchor > $1',
      [before],
    );
    expect(rows.at(-1)).toEqual({ stream_id: 'b', version: '6' });
    expect(new Set(rows.map((row: { stream_id: string }) => row.stream_id))).toEqual(new Set(['b']));
  });

  it('creates no anchor until the last one has reached the minimum age', async () => {
    await log.append('c', 1);
    expect(await createAnchors(log.service, log.key, { now, minAgeMs: 60_000 })).toEqual([]);
  });

  it('excludes open transactions and anchors them after they commit', async () => {
    const client = await log.service.connect();
    await client.query('BEGIN');
    await client.query(
      `SELECT phaseline.append_one('late', 'late', 0, false, false, ARRAY[gen_random_uuid()], ARRAY['Late'], ARRAY[1], ARRAY['{}'], ARRAY['{}'])`,
    );
    await log.append('a', 1);
    await createAnchors(log.service, log.key, { now });
    const covered = await log.service.query(
      `SELECT FROM phaseline.anchored_heads WHERE stream_id = 'late' OR (stream_id = 'a' AND version = 5)`,
    );
    expect(covered.rowCount).toBe(0);
    await client.query('COMMIT');
    client.release();
    await log.anchorAll();
    expect(await log.verifyOnline()).toEqual([]);
  });

  it('builds a single chain when several processes create anchors concurrently', async () => {
    const writers = Array.from({ length: 4 }, async (_, number) => {
      for (let round = 0; round < 5; round += 1) {
        await log.append(`busy-${number}`, 1);
        await createAnchors(log.service, log.key, { now, wait: number % 2 === 0 });
      }
    });
    await Promise.all(writers);
    await log.anchorAll();
    expect(await log.verifyOnline()).toEqual([]);
  });
});

describe('the audit key', () => {
  it('is created once, readable only by its owner', async () => {
    const path = `${log.folder}/deeper/key.pem`;
    const keys = await Promise.all([openAuditKey(path), openAuditKey(path), openAuditKey(path)]);
    expect(new Set(keys.map(({ keyId }) => keyId)).size).toBe(1);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is refused if invalid, with the command that creates one', async () => {
    await writeFile(`${log.folder}/none.pem`, 'nothing');
    await expect(openAuditKey(`${log.folder}/none.pem`)).rejects.toThrow(/openssl genpkey -algorithm ed25519/);
    await expect(readAuditKey(`${log.folder}/missing.pem`)).rejects.toMatchObject({ code: 'audit_key_unusable' });
  });
});
