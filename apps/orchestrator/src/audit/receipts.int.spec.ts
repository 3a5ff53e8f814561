import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeReceipts, openAuditKey, readReceipts, RECEIPTS_FILE, verifyAnchors } from '@phaseline/audit';
import { createPool } from '@phaseline/event-store';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { post, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let folder: string;
let orchestrator: OrchestratorForSpecs;
let pool: pg.Pool;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'receipts-'));
  await openAuditKey(join(folder, 'key.pem'));
});
afterEach(async () => {
  await pool.end();
  await orchestrator.stop();
  await rm(folder, { recursive: true });
});

async function start(receipts: string): Promise<void> {
  orchestrator = await startOrchestrator({
    PHASELINE_AUDIT_KEY_FILE: join(folder, 'key.pem'),
    PHASELINE_AUDIT_ANCHOR_INTERVAL_MS: '100',
    PHASELINE_AUDIT_RECEIPTS_DIR: receipts,
  });
  pool = createPool(orchestrator.databaseUrls.service, { max: 2 });
}

/** Submits a job and waits until the whole log is anchored. Returns the number of anchors. */
async function anchoredJob(): Promise<number> {
  await orchestrator.json('/v1/jobs', post({ agent: 'writer' }));
  let anchors = 0;
  await expect
    .poll(
      async () => {
        const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM phaseline.events');
        const report = await verifyAnchors(pool);
        anchors = report.anchors;
        return report.last?.events === Number(rows[0]!.count);
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  return anchors;
}

const numbersIn = async (path: string): Promise<number[]> => (await readReceipts(path)).map(({ number }) => number);
/** Whether these are the numbers of all anchors. There may be more than `anchors` by now: the service anchors while jobs run. */
const isCompleteFor = (anchors: number) => (numbers: readonly number[]) =>
  numbers.length >= anchors && numbers.every((number, index) => number === index + 1);

describe('receipts written by the service', () => {
  it('are in the folder, one per anchor; a missing folder is created', async () => {
    const receipts = join(folder, 'not', 'there', 'yet');
    await start(receipts);
    const anchors = (await anchoredJob()) && (await anchoredJob());
    await expect.poll(() => numbersIn(receipts), { timeout: 20_000 }).toSatisfy(isCompleteFor(anchors));
    const report = await verifyAnchors(pool, { receipts: await readReceipts(receipts) });
    expect(report.problems).toEqual([]);
  });

  it('that cannot be written are reported without stopping anchors, and are complete once they can be written', async () => {
    const receipts = join(folder, 'receipts');
    // A file where the folder is expected fails like a folder without write permission.
    await writeFile(receipts, 'in the way');
    await start(receipts);
    const first = await anchoredJob();
    const second = await anchoredJob();
    expect(second).toBeGreaterThan(first);
    expect(orchestrator.log()).toContain('receipts could not be written; retrying with the next anchor');
    expect(await readFile(receipts, 'utf8')).toBe('in the way');
    await rm(receipts);
    const third = await anchoredJob();
    await expect.poll(() => numbersIn(receipts), { timeout: 20_000 }).toSatisfy(isCompleteFor(third));
  });

  it('of anchors that the log does not contain are reported in the log of the service', async () => {
    const other = await startOrchestrator({
      PHASELINE_AUDIT_KEY_FILE: join(folder, 'key.pem'),
      PHASELINE_AUDIT_ANCHOR_INTERVAL_MS: '100',
      PHASELINE_AUDIT_RECEIPTS_DIR: join(folder, 'receipts'),
    });
    await other.json('/v1/jobs', post({ agent: 'writer' }));
    await expect.poll(() => numbersIn(join(folder, 'receipts')).catch(() => []), { timeout: 20_000 }).not.toEqual([]);
    await other.stop();
    await start(join(folder, 'receipts'));
    await expect.poll(() => orchestrator.log()).toContain('the log does not contain the anchor of the newest receipt');
  });
});

describe('writing receipts', () => {
  it('keeps no connection when the file cannot be opened', async () => {
    await start(join(folder, 'receipts'));
    await anchoredJob();
    const broken = join(folder, 'broken');
    await mkdir(broken);
    // Reading it fails as for a missing file, and it cannot be created.
    await symlink(join(folder, 'nowhere', 'receipts'), join(broken, RECEIPTS_FILE));
    for (let attempt = 0; attempt < 5; attempt += 1)
      await expect(storeReceipts(pool, broken)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(pool.totalCount - pool.idleCount).toBe(0);
  });

  it('continues after a line that a full disk truncated', async () => {
    const receipts = join(folder, 'receipts');
    await start(join(folder, 'unused'));
    await anchoredJob();
    await storeReceipts(pool, receipts);
    const path = join(receipts, RECEIPTS_FILE);
    const whole = await readFile(path, 'utf8');
    await writeFile(path, `${whole}{"format":"phaseline-rec`);
    const anchors = await anchoredJob();
    expect((await storeReceipts(pool, receipts)).contradicted).toBeUndefined();
    expect(await numbersIn(receipts)).toSatisfy(isCompleteFor(anchors));
    expect((await readFile(path, 'utf8')).startsWith(whole)).toBe(true);
  });
});
