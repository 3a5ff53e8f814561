import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { contentHash } from '@phaseline/event-store';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const MEBIBYTE = 1024 * 1024;
let orchestrator: OrchestratorForSpecs;
let owner: pg.Client;
beforeAll(async () => {
  orchestrator = await startOrchestrator();
  owner = new pg.Client({ connectionString: orchestrator.databaseUrls.owner });
  await owner.connect();
  await owner.query('ALTER TABLE phaseline.blobs DROP CONSTRAINT blobs_check, DISABLE TRIGGER USER');
  await owner.query('ALTER TABLE phaseline.blob_pieces DROP CONSTRAINT blob_pieces_piece_fkey');
});
afterAll(async () => {
  await owner.end();
  await orchestrator.stop();
});

async function submitted(content: Buffer): Promise<string> {
  const form = new FormData();
  form.append('agent', 'writer');
  form.append('files', new Blob([new Uint8Array(content)]), 'a.bin');
  const { body, status } = await orchestrator.json('/v1/jobs', { method: 'POST', body: form });
  expect(status).toBeLessThan(300);
  return `/v1/jobs/${String(body['jobId'])}/files/documents/a.bin`;
}
/** Replaces bytes without changing the length. */
const forge = (hash: string): Promise<unknown> =>
  owner.query(`UPDATE phaseline.blobs SET content = overlay(content PLACING 'forged' FROM 3) WHERE hash = $1`, [
    Buffer.from(hash, 'hex'),
  ]);

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
  /** Whether all announced bytes arrived. */
  readonly complete: boolean;
}
function get(path: string, range?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(`${orchestrator.url}${path}`, { headers: range === undefined ? {} : { range } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => {});
      response.on('close', () =>
        resolve({ status: response.statusCode!, bytes: Buffer.concat(chunks), complete: response.complete }),
      );
    })
      .on('error', reject)
      .end();
  });
}

describe('a file whose stored content was', () => {
  it('altered without changing its length is a problem without content; so is a range of it', async () => {
    const content = randomBytes(5_000);
    const path = await submitted(content);
    await forge(contentHash(content));
    for (const range of [undefined, 'bytes=0-9', 'bytes=4000-4009']) {
      const { status, bytes } = await get(path, range);
      expect(status).toBe(500);
      expect(JSON.parse(bytes.toString())).toMatchObject({ code: 'file_damaged' });
    }
  });

  it('removed is a problem', async () => {
    const content = randomBytes(5_000);
    const path = await submitted(content);
    await owner.query('DELETE FROM phaseline.blobs WHERE hash = $1', [Buffer.from(contentHash(content), 'hex')]);
    const { status, bytes } = await get(path);
    expect([status, JSON.parse(bytes.toString())]).toEqual([500, expect.objectContaining({ code: 'file_damaged' })]);
  });

  it.each(['altered', 'removed'])('%s in one piece of a large file never arrives completely', async (damage) => {
    const content = randomBytes(4 * MEBIBYTE);
    const path = await submitted(content);
    const third = contentHash(content.subarray(2 * MEBIBYTE, 3 * MEBIBYTE));
    if (damage === 'altered') await forge(third);
    else await owner.query('DELETE FROM phaseline.blobs WHERE hash = $1', [Buffer.from(third, 'hex')]);
    const whole = await get(path);
    expect(whole).toMatchObject({ status: 200, complete: false });
    expect(whole.bytes.equals(content.subarray(0, whole.bytes.byteLength))).toBe(true);
    expect(whole.bytes.byteLength).toBeLessThanOrEqual(2 * MEBIBYTE);
    const touching = await get(path, `bytes=${2 * MEBIBYTE + 5}-${2 * MEBIBYTE + 9}`);
    expect([touching.status, JSON.parse(touching.bytes.toString())]).toEqual([
      500,
      expect.objectContaining({ code: 'file_damaged' }),
    ]);
    const beside = await get(path, `bytes=${3 * MEBIBYTE}-${3 * MEBIBYTE + 9}`);
    expect(beside).toMatchObject({ status: 206, complete: true });
    expect(beside.bytes.equals(content.subarray(3 * MEBIBYTE, 3 * MEBIBYTE + 10))).toBe(true);
  });
});
