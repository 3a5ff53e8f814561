import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobSummary, WorkspaceFile } from '@phaseline/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JOB_ID, jobSummary } from '../testing/example-job.js';
import { collectDeliverables, countRequirements } from './collect-deliverables.js';

const contents: Readonly<Record<string, string>> = {
  'documents/spec.md': 'spec',
  'output/requirements.json': '[{"id":"R1"},{"id":"R2"}]',
  'output/summary.md': '# Summary',
  'output/scratch.txt': 'x',
};

const client = {
  files: async (): Promise<WorkspaceFile[]> =>
    Object.entries(contents).map(([path, content]) => ({
      path,
      size: content.length,
      hash: createHash('sha256').update(content).digest('hex'),
      writtenAt: '2026-01-01T00:00:00.000Z',
    })),
  readFile: async (_job: string, path: string) => new TextEncoder().encode(contents[path]),
};

const completed = jobSummary({
  status: 'completed',
  result: { summary: '', deliverables: ['output/requirements.json', 'output/summary.md'], confidence: 1, notes: '' },
});

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'phaseline-deliver-'));
});
afterEach(() => rm(home, { recursive: true }));

const collect = (job: JobSummary = completed, mirrorMs = 150) =>
  collectDeliverables(client, job, {
    workspaceRoot: join(home, 'workspaces'),
    homeDirectory: home,
    signal: new AbortController().signal,
    mirrorMs,
  });

async function mirror(path: string, content: string): Promise<void> {
  const target = join(home, 'workspaces', `job_${JOB_ID}`, path);
  await mkdir(join(target, '..'), { recursive: true });
  await writeFile(target, content);
}

describe('the deliverables of a job', () => {
  it('are read from the mirror if it holds them', async () => {
    await mirror('output/requirements.json', contents['output/requirements.json']!);
    await mirror('output/summary.md', contents['output/summary.md']!);
    const found = await collect();
    expect(found.folder).toBe(join(home, 'workspaces', `job_${JOB_ID}`));
    expect(found.requirements).toEqual({ localPath: join(found.folder, 'output/requirements.json'), count: 2 });
    expect(found.files.map(({ path }) => path)).toEqual(['output/requirements.json', 'output/summary.md']);
  });

  it('are awaited if the mirror is late', async () => {
    await mirror('output/summary.md', contents['output/summary.md']!);
    const collecting = collect(completed, 20_000);
    await mirror('output/requirements.json', contents['output/requirements.json']!);
    expect((await collecting).folder).toBe(join(home, 'workspaces', `job_${JOB_ID}`));
  });

  it('are pulled if the mirror has other content', async () => {
    await mirror('output/requirements.json', '[]');
    await mirror('output/summary.md', contents['output/summary.md']!);
    const found = await collect();
    expect(found.folder).toBe(join(home, 'pulled', `job_${JOB_ID}`));
    expect(await readFile(found.requirements!.localPath, 'utf8')).toBe(contents['output/requirements.json']);
  });

  it('are all files in output if the job failed', async () => {
    const found = await collect(jobSummary({ status: 'failed' }));
    expect(found.files.map(({ path }) => path)).toEqual([
      'output/requirements.json',
      'output/summary.md',
      'output/scratch.txt',
    ]);
  });
});

describe('the number of requirements', () => {
  it.each([
    ['[1,2,3]', 3],
    ['{"requirements":[1]}', 1],
    ['{"requirements":5}', undefined],
    ['null', undefined],
    ['not json', undefined],
  ])('in %s is %s', (text, expected) => {
    expect(countRequirements(text)).toBe(expected);
  });
});
