import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openAuditKey, verifyExport } from '@phaseline/audit';
import { PhaselineClient } from '@phaseline/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
let folder: string;
let pem: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-exports-'));
  ({ pem } = await openAuditKey(join(folder, 'key.pem')));
  orchestrator = await startOrchestrator({ PHASELINE_AUDIT_KEY_FILE: join(folder, 'key.pem') });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(async () => {
  await orchestrator.stop();
  await rm(folder, { recursive: true });
});

const countTemporary = async (): Promise<number> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('phaseline-export-')).length;

it('exports a job as an archive that verifies, with or without files, and leaves nothing behind', async () => {
  const { jobId } = await client.submit({ agent: 'writer', documents: [{ name: 'a.md', content: 'text' }] });
  await client.submit({ agent: 'writer' });
  const before = await countTemporary();
  for (const withFiles of [false, true]) {
    const archive = join(folder, `${withFiles}.tar.gz`);
    await writeFile(archive, await client.audit.exportJob(jobId, { withFiles }));
    await promisify(execFile)('tar', ['-xzf', archive, '-C', folder]);
    const report = await verifyExport(join(folder, `job-${jobId}`), { keys: [pem], receipts: [], files: withFiles });
    expect(report).toMatchObject({ passed: true, problems: [] });
    const names = await readdir(join(folder, `job-${jobId}`));
    expect(names).toEqual(
      expect.arrayContaining(['check-export.mjs', 'events.jsonl', 'manifest.json', 'manifest.sig']),
    );
    expect(names.includes('blobs')).toBe(withFiles);
    await rm(join(folder, `job-${jobId}`), { recursive: true });
  }
  await expect.poll(countTemporary).toBe(before);
});

it('is refused for an unknown job', async () => {
  await expect(client.audit.exportJob('00000000-0000-7000-8000-000000000000')).rejects.toMatchObject({
    code: 'job_not_found',
  });
});
