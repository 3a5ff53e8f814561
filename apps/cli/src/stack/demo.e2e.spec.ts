import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoResult } from './demo-result.js';

const program = fileURLToPath(new URL('../../bin/phaseline.js', import.meta.url));

const DOCUMENT = `# Lamp

## Light

The lamp MUST switch on within one second.
The lamp MUST NOT flicker.
Users SHOULD be able to dim it.

## Power

The lamp SHALL run on 230 V.
`;

/** About 200 KB of sections, each with a heading, filler text and two requirements. */
const LONG_DOCUMENT = `# Lamps\n\n${Array.from(
  { length: 400 },
  (_, i) =>
    `## Lamp ${i + 1}\n\n${`The lamp in room ${i + 1} hangs above a table and gives a warm light. `.repeat(6)}\n` +
    `Lamp ${i + 1} must switch on within ${i + 1} ms. It must not flicker in room ${i + 1}.\n`,
).join('\n')}`;

interface Record {
  readonly kind: string;
  readonly message?: string;
  readonly event?: { readonly type: string };
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-demo-'));
  // The user that PostgreSQL runs as needs access to its data.
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'lamp.md'), DOCUMENT);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function start(...args: string[]): ChildProcess & { readonly records: Record[]; readonly text: { err: string } } {
  const child = spawn(process.execPath, [program, 'demo', '--json', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  const records: Record[] = [];
  const text = { err: '' };
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    records.push(...lines.map((line) => JSON.parse(line) as Record));
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (text.err += piece));
  return Object.assign(child, { records, text });
}

function end(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', resolve));
}

/** Lists processes whose arguments or environment name the folder of this test. */
async function listSurvivors(): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    const [args, env] = await Promise.all(
      ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
    );
    if (`${args}${env}`.includes(join(folder, '.phaseline'))) found.push(args!.replaceAll('\0', ' '));
  }
  return found;
}

describe('the demo', () => {
  it(
    'runs a job through real services, extracts the requirements, verifies the log and leaves no process',
    { timeout: 90_000 },
    async () => {
      const child = start('--document', 'lamp.md');
      const code = await end(child);
      const result = child.records.at(-1) as unknown as DemoResult & { kind: string };
      expect({ code, err: child.text.err, kind: result.kind }).toEqual({ code: 0, err: '', kind: 'result' });
      expect(result.phases.strategic).toBeGreaterThanOrEqual(3);
      expect(result.phases.tactical).toBeGreaterThanOrEqual(2);
      expect(result.requirements?.count).toBeGreaterThanOrEqual(4);
      expect(await readFile(result.requirements!.localPath, 'utf8')).toContain('The lamp MUST NOT flicker.');
      expect(result.audit).toMatchObject({ passed: true, problems: [] });
      expect(result.job.usage.costMicroUsd).toBeGreaterThan(0);
      expect(child.records.some(({ kind, event }) => kind === 'progress' && event?.type === 'TodoCompleted')).toBe(
        true,
      );
      expect(await listSurvivors()).toEqual([]);
    },
  );

  it(
    'extracts every requirement of a document that is too long for the conversation',
    { timeout: 120_000 },
    async () => {
      expect(LONG_DOCUMENT.length).toBeGreaterThan(180_000);
      await writeFile(join(folder, 'lamps.md'), LONG_DOCUMENT);
      const child = start('--document', 'lamps.md');
      const code = await end(child);
      const result = child.records.at(-1) as unknown as DemoResult & { kind: string };
      expect({ code, err: child.text.err, status: result.job.status }).toEqual({
        code: 0,
        err: '',
        status: 'completed',
      });
      expect(result.requirements?.count).toBe(800);
      const summary = result.files.find(({ path }) => path === 'output/summary.md');
      const text = await readFile(summary!.localPath!, 'utf8');
      expect(text.match(/^## .*$/gm)).toEqual([
        '## Documents',
        '## Figures',
        '## Main requirements',
        '## Relevance and terms',
        '## Open questions',
        '## Method',
      ]);
      expect(text).toMatch(/\(REQ-[0-9a-f]{10}\)/);
      expect(await listSurvivors()).toEqual([]);
    },
  );

  it(
    'plans a goal with a question, options and an approval, and writes the schedule',
    { timeout: 90_000 },
    async () => {
      const child = start('--plan', 'Paint the fence of a garden in five weeks, two evenings a week');
      const code = await end(child);
      const result = child.records.at(-1) as unknown as Record & { readonly files: readonly string[] };
      expect({ code, err: child.text.err, result }).toMatchObject({
        ...{ code: 0, err: '' },
        result: { kind: 'result', planningStatus: 'complete', questions: 2, approvals: 1, auditProblems: 0 },
      });
      const [picture, calendar] = await Promise.all(result.files.map((path) => readFile(path, 'utf8')));
      expect(picture).toMatch(/^<svg /);
      expect(calendar).toMatch(/^BEGIN:VCALENDAR\r\n[^]*BEGIN:VEVENT/);
      expect(await listSurvivors()).toEqual([]);
    },
  );

  it('shows what contradicts itself in a goal that cannot fit, and waits', { timeout: 90_000 }, async () => {
    const child = start('--plan', 'Write 80,000 words in four days, one hour a day');
    const code = await end(child);
    expect({ code, err: child.text.err, result: child.records.at(-1) }).toMatchObject({
      ...{ code: 3, err: '' },
      result: {
        planningStatus: 'needs_scheduling_escalation',
        waitsFor: { question: expect.stringMatching(/^The plan does not fit\.[^]*would help:\na: /) as string },
      },
    });
  });

  it('completes after an earlier demo was killed', { timeout: 120_000 }, async () => {
    const killed = start('--document', 'lamp.md');
    const killedExit = end(killed);
    await expect
      .poll(() => killed.records.some(({ event }) => event?.type === 'TodoCompleted'), { timeout: 60_000 })
      .toBe(true);
    killed.kill('SIGKILL');
    await killedExit;
    const child = start('--document', 'lamp.md');
    expect(await end(child)).toBe(0);
    expect(await listSurvivors()).toEqual([]);
  });

  it('stops everything if it is interrupted', { timeout: 90_000 }, async () => {
    const child = start('--document', 'lamp.md');
    const ended = end(child);
    await expect
      .poll(() => child.records.some(({ event }) => event?.type === 'PhaseStarted'), { timeout: 60_000 })
      .toBe(true);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(await listSurvivors()).toEqual([]);
  });

  it(
    'fails with a reason and an intact log if the document does not match its file extension',
    { timeout: 90_000 },
    async () => {
      await writeFile(join(folder, 'not-a.pdf'), 'plain words, and no PDF\n'.repeat(50));
      const child = start('--document', 'not-a.pdf');
      expect(await end(child)).toBe(1);
      const result = child.records.at(-1) as unknown as DemoResult;
      expect(result.job.status).toBe('failed');
      expect(result.job.failure?.message).toContain('not-a.pdf');
      expect(result.audit.passed).toBe(true);
      expect(await listSurvivors()).toEqual([]);
    },
  );

  it(
    'implements and tests the features of the example, blocks the one that fails twice, and proves it from the log',
    { timeout: 400_000 },
    async () => {
      const child = start('--workflow', 'feature-loop');
      const code = await end(child);
      const result = child.records.at(-1) as unknown as DemoResult & { kind: string };
      expect({ code, err: child.text.err, kind: result.kind }).toEqual({ code: 0, err: '', kind: 'result' });
      expect(result.job).toMatchObject({ status: 'blocked', failure: { code: 'features_blocked' } });
      expect(result.features).toMatchObject([
        { id: 'complete-todo', status: 'tested', attempts: 0 },
        { id: 'search-todos', status: 'tested', attempts: 1 },
        { id: 'due-dates', status: 'blocked', attempts: 2 },
      ]);
      expect(result.features?.[2]?.reason).toContain('30 February');
      expect(result.audit).toMatchObject({ passed: true, problems: [] });
      expect(result.audit.derivedClaims).toBe(result.audit.claims);
      const report = result.files.find(({ path }) => path === 'output/report.md');
      expect(await readFile(report!.localPath, 'utf8')).toContain('2 of 3 features are tested, 1 blocked.');
      expect(child.records.some(({ kind, event }) => kind === 'progress' && event?.type === 'ItemChanged')).toBe(true);
      expect(await listSurvivors()).toEqual([]);
    },
  );

  it('names the workflows that have a demo if it knows none of that name', async () => {
    const child = start('--workflow', 'nothing');
    expect(await end(child)).toBe(2);
    expect(child.text.err).toContain('feature-loop');
  });

  it('reports an unknown agent and stops everything', { timeout: 90_000 }, async () => {
    const child = start('--document', 'lamp.md', '--agent', 'nobody');
    expect(await end(child)).toBe(4);
    expect(JSON.parse(child.text.err)).toMatchObject({ error: { code: 'unknown_agent' } });
    expect(await listSurvivors()).toEqual([]);
  });
});
