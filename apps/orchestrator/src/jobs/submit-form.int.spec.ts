import { createHash } from 'node:crypto';
import { PhaselineClient } from '@phaseline/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const MAX_BYTES = 48 * 1024 * 1024;
let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;

beforeAll(async () => {
  orchestrator = await startOrchestrator({
    PHASELINE_MAX_DOCUMENT_BYTES: String(MAX_BYTES),
    PHASELINE_SHIPPED_DEFINITIONS: '1',
  });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0, timeoutMs: 60_000 });
});
afterAll(() => orchestrator.stop());

function form(
  fields: Readonly<Record<string, string>>,
  files: Readonly<Record<string, Uint8Array<ArrayBuffer> | string>> = {},
): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  for (const [name, content] of Object.entries(files)) data.append('files', new Blob([content]), name);
  return data;
}

const submit = (body: FormData, headers: Record<string, string> = {}) =>
  orchestrator.json('/v1/jobs', { method: 'POST', body, headers });

describe('a submission as a form', () => {
  it('stores every document byte for byte, under its own name', async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256);
    const files = { 'spec.pdf': bytes, 'anhänge/Größe "1" 🙂.md': '# Größe\n', 'zwei.md': 'b' };
    const { status, body } = await submit(form({ agent: 'writer', labels: '{"a":"b"}', priority: '3' }, files), {
      'idempotency-key': 'form-1',
    });
    expect(status).toBe(201);
    const jobId = String(body['jobId']);
    for (const [name, content] of Object.entries(files)) {
      expect(Buffer.from(await client.readFile(jobId, `documents/${name}`)).equals(Buffer.from(content)), name).toBe(
        true,
      );
    }
    expect((await client.files(jobId)).map(({ path }) => path)).toEqual([
      'documents/anhänge/Größe "1" 🙂.md',
      'documents/spec.pdf',
      'documents/zwei.md',
      'instructions.md',
    ]);
    expect(await client.get(jobId)).toMatchObject({ labels: { a: 'b' } });
    const again = await submit(form({ agent: 'writer', labels: '{"a":"b"}', priority: '3' }, files), {
      'idempotency-key': 'form-1',
    });
    expect(again).toMatchObject({ status: 200, body: { jobId, created: false } });
    const other = await submit(
      form({ agent: 'writer', labels: '{"a":"b"}', priority: '3' }, { ...files, 'zwei.md': 'c' }),
      { 'idempotency-key': 'form-1' },
    );
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
  });

  it('is what the client sends, with documents of both kinds', async () => {
    const { jobId } = await client.submit(
      { agent: 'writer', instructions: 'Do it.', documents: [{ name: 'text.md', content: 'text' }] },
      { files: [{ name: 'blob.bin', content: Uint8Array.of(0, 1, 2) }] },
    );
    const files = await client.files(jobId);
    expect(files.map(({ path, size }) => [path, size])).toEqual([
      ['documents/blob.bin', 3],
      ['documents/text.md', 4],
      ['instructions.md', expect.any(Number)],
    ]);
    expect(await client.readText(jobId, 'instructions.md')).toBe('# Write well\n\n## This job\n\nDo it.\n');
    expect(files[0]?.hash).toBe(
      createHash('sha256')
        .update(Uint8Array.of(0, 1, 2))
        .digest('hex'),
    );
  });

  it.each([
    [{ request: '{"agent": writer}' }, {}, /"request": expected JSON/],
    [{ request: '[]' }, {}, /"request": expected a JSON object/],
    [{ agnt: 'writer' }, {}, /"agnt": unknown/],
    [{ agent: 'writer', budgets: 'cheap' }, {}, /"budgets": expected JSON/],
    [{}, {}, /agent/],
    [{ agent: 'writer' }, { '../../etc/passwd': 'x' }, /"files": expected a file name/],
    [{ agent: 'writer' }, { 'a\nb': 'x' }, /"files": expected a file name/],
  ])('refuses the fields %j with the files %j', async (fields, files, message) => {
    expect(await submit(form(fields, files))).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', message: expect.stringMatching(message) },
    });
  });

  it('refuses an empty document, and two with the same name', async () => {
    expect(await submit(form({ agent: 'writer' }, { 'a.md': '' }))).toMatchObject({
      status: 422,
      body: { code: 'document_unusable', message: expect.stringContaining('a.md is empty') },
    });
    const twice = form({ agent: 'writer' }, { 'a.md': '1' });
    twice.append('files', new Blob(['2']), 'a.md');
    expect(await submit(twice)).toMatchObject({
      status: 422,
      body: { code: 'document_unusable', message: expect.stringContaining('a.md') },
    });
  });

  it('refuses a list of features that cannot be read, or is too large to be one, for an agent whose workflow loops over it', async () => {
    const send = (agent: string, list: string) =>
      submit(form({ agent, instructions: 'Do it.' }, { 'feature-list.json': list }));
    for (const [list, problem] of [
      ['[]', 'Too small'],
      [' '.repeat(4 * 1024 * 1024 + 1), 'at most 4194304'],
    ] as const)
      expect(await send('feature-lead', list)).toMatchObject({
        status: 422,
        body: { code: 'document_unusable', message: expect.stringContaining(problem) },
      });
    expect((await send('writer', '[]')).status).toBe(201);
  });

  it('refuses a file that is not under "files", and a truncated form', async () => {
    const data = new FormData();
    data.append('agent', 'writer');
    data.append('document', new Blob(['x']), 'x.md');
    expect(await submit(data)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('documents belong in "files"') },
    });
    const cut = await orchestrator.json('/v1/jobs', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=xx' },
      body: '--xx\r\ncontent-disposition: form-data; name="agent"\r\n\r\nwri',
    });
    expect(cut).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    const unbounded = await orchestrator.json('/v1/jobs', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data' },
      body: 'x',
    });
    expect(unbounded).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('reads a document that is far too large to its end, so that its sender receives the refusal', async () => {
    const size = 200 * 1024 * 1024;
    const { status, body } = await submit(form({ agent: 'writer' }, { 'huge.pdf': new Uint8Array(size) }));
    expect(status).toBe(413);
    expect(body).toMatchObject({
      code: 'document_too_large',
      message: 'The document "huge.pdf" is larger than 48 MiB. Split it, or submit its text only.',
    });
  });

  it('accepts a document of exactly the maximum size', async () => {
    const size = MAX_BYTES;
    const { status, body } = await submit(form({ agent: 'writer' }, { 'large.bin': new Uint8Array(size).fill(7) }));
    expect(status).toBe(201);
    expect((await client.files(String(body['jobId'])))[0]).toMatchObject({ path: 'documents/large.bin', size });
  });
});
