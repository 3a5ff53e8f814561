import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { exportLog, openAuditKey, verifyExportedClaims } from '@phaseline/audit';
import type { JobId } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playCheckedJob, playPlannedJob } from './claimed-jobs.fixture.js';
import { positionOf, useForks } from './fork.fixture.js';

const run = promisify(execFile);
const bundler = fileURLToPath(new URL('../../../../scripts/bundle-claims-checker.mjs', import.meta.url));

const { opened, forkJob } = useForks();
let pool: Pool;
let root: string;
let program: string;
let checked: JobId;
let fork: JobId;
const exported = (): string => join(root, 'whole');
beforeAll(async () => {
  pool = createPool(opened.url, { max: 4 });
  root = await mkdtemp(join(tmpdir(), 'phaseline-claims-'));
  program = join(root, 'program', 'verify-claims.mjs');
  await run(process.execPath, [bundler, program]);
  const { engine, jobId } = await playCheckedJob(opened.store);
  checked = jobId;
  const position = positionOf(await opened.store.readCorrelation(jobId), 'ModelResponded');
  fork = await forkJob(engine, jobId, { position, mode: 'recorded' });
  await engine.run(fork);
  await playPlannedJob(opened.store);
  await exportTo(exported());
}, 60_000);
afterAll(async () => {
  await pool.end();
  await rm(root, { recursive: true, force: true });
});

async function exportTo(folder: string, jobs?: readonly JobId[], withFiles = true): Promise<void> {
  const key = await openAuditKey(join(root, 'key.pem'));
  await exportLog(pool, { folder, key, now: () => new Date(), withFiles, ...(jobs ? { jobs } : {}) });
}

/** Runs the program as an auditor does: with Node alone, in a folder that contains nothing else. */
async function runProgram(folder: string): Promise<{ readonly code: number; readonly lines: readonly object[] }> {
  const cwd = await mkdtemp(join(root, 'empty-'));
  const { code, stdout } = await run(process.execPath, [program, folder], { cwd, env: {} }).then(
    (ended) => ({ code: 0, ...ended }),
    (error: { readonly code: number; readonly stdout: string }) => error,
  );
  return { code, lines: stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object])) };
}

/** A copy of the export in which text of the events is replaced. */
async function tamper(from: string, to: string): Promise<string> {
  const folder = await mkdtemp(join(root, 'changed-'));
  await cp(exported(), folder, { recursive: true });
  const file = join(folder, 'events.jsonl');
  const events = await readFile(file, 'utf8');
  expect(events.includes(from)).toBe(true);
  await writeFile(file, events.replaceAll(from, to));
  return folder;
}

describe('the claims checker', () => {
  it('is one file that imports nothing but Node', async () => {
    const imports = (await readFile(program, 'utf8')).match(/^import .* from "(.*)";$/gm) ?? [];
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((line) => !line.includes('"node:'))).toEqual([]);
  });

  it('derives every claim of an export, those of forks too', async () => {
    const { code, lines } = await runProgram(exported());
    expect(lines).toEqual([{ passed: true, jobs: 3, claims: 13, derived: 13, notDerived: [], problemCount: 0 }]);
    expect(code).toBe(0);
  });

  it.each([
    [
      'evidence with another hash',
      '"path":"work/result.txt","hash":"',
      '"path":"work/result.txt","hash":"f',
      'claim-unreadable',
    ],
    ['evidence of a smaller check', '"minLines":2}},"events"', '"minLines":1}},"events"', 'claim-not-derived'],
    [
      'a removed check',
      '"evidence":[{"check":{"file":{"path":"work/result.txt","changedSince":"todo"',
      '"evidence":[{"check":{"file":{"path":"x","changedSince":"todo"',
      'claim-not-derived',
    ],
    ['a completed todo without its evidence', '"evidence":[', '"proofs":[', 'claim-without-evidence'],
  ])('names %s', async (_, from, to, kind) => {
    const { code, lines } = await runProgram(await tamper(from, to));
    expect(code).toBe(1);
    const problems = lines.slice(0, -1) as {
      readonly kind: string;
      readonly streamId: string;
      readonly version: number;
    }[];
    expect(problems.map((problem) => problem.kind)).toContain(kind);
    expect(problems.every(({ streamId, version }) => streamId !== '' && version > 0)).toBe(true);
  });

  it('names a forged completion of a todo', async () => {
    const events = (await readFile(join(exported(), 'events.jsonl'), 'utf8')).split('\n');
    // The refused claim of the first attempt becomes an accepted one.
    const line = events.find((one) => one.includes('"ClaimRefused"') && one.includes(`phase-${checked}-1`))!;
    const { data } = JSON.parse(line) as { readonly data: { readonly callId: string } };
    const forged = `${line.slice(0, line.indexOf(',"data":'))},"data":${JSON.stringify({ todoId: 1, callId: data.callId, evidence: [] })}}`;
    const folder = await tamper(
      line,
      forged.replace('"ClaimRefused"', '"TodoCompleted"').replace('"schemaversion":1', '"schemaversion":2'),
    );
    const { code, lines } = await runProgram(folder);
    expect(code).toBe(1);
    expect(lines).toContainEqual(
      expect.objectContaining({
        kind: 'claim-not-derived',
        streamId: `phase-${checked}-1`,
        detail: expect.stringContaining('the verifier unit passes') as string,
      }),
    );
  });

  it('names the claims whose files were changed or removed in the export', async () => {
    const folder = await mkdtemp(join(root, 'changed-'));
    await cp(exported(), folder, { recursive: true });
    const { hash } = (await opened.store.readCorrelation(checked)).find(
      ({ type, data }) => type === 'FileWritten' && data['path'] === 'work/result.txt',
    )!.data as { readonly hash: string };
    await writeFile(join(folder, 'blobs', hash), 'one\ntwo\nthree\n');
    const { problems } = await verifyExportedClaims(folder);
    expect(problems[0]).toMatchObject({
      kind: 'claim-unreadable',
      detail: 'the content of work/result.txt is missing',
    });
  });

  it('says what it cannot derive: a fork without its parent, and an export without files', async () => {
    await exportTo(join(root, 'fork'), [fork]);
    expect(await verifyExportedClaims(join(root, 'fork'))).toMatchObject({
      problems: [],
      notDerived: ['streams of forks that continue a job which is not available: 2'],
    });
    await exportTo(join(root, 'bare'), undefined, false);
    expect(await verifyExportedClaims(join(root, 'bare'))).toMatchObject({
      claims: 0,
      notDerived: ['exports without files (export again with --with-files): 1'],
    });
  });

  it('says in one line that a folder is no export', async () => {
    await mkdir(join(root, 'nothing'));
    const failed = run(process.execPath, [program, join(root, 'nothing')], { env: {} });
    await expect(failed).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^.*nothing cannot be read as an export with files.*\n$/) as string,
    });
  });
});
