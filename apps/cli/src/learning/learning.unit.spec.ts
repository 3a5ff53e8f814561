import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PatternRecord } from '@phaseline/client';
import { afterAll, expect, it } from 'vitest';
import { useCommandLine } from '../testing/command-line.fixture.js';
import { JOB_ID } from '../testing/example-job.js';

const cli = useCommandLine();
const folder = mkdtempSync(join(tmpdir(), 'learning-'));
afterAll(() => rmSync(folder, { recursive: true }));

const TRACE = '0189cf00-0000-4000-8000-000000000001';
const pattern: PatternRecord = {
  ...{ id: '0123456789abcdef', tenant: 'acme', agent: 'writer', reason: 'person_refused', guard: 'sources' },
  ...{ point: 'PermissionRequest', tool: 'write_file', shape: 'path:string', files: 'docs/*.md' },
  ...{ proposals: ['stricter_guard', 'change_instructions', 'new_rule'], support: 5, jobs: 2 },
  ...{ first: '2030-01-01T00:00:00Z', last: '2030-01-05T06:07:08.000009Z', tokens: 500, costMicroUsd: 35 },
  examples: [{ trace: TRACE, jobId: JOB_ID as never, position: 7, at: '2030-01-05T06:07:08.000009Z', happened: 'x' }],
};
const rule = { name: 'learned-x', owner: 'ada', stage: 'draft', when: { tool: 'write_file' }, then: { deny: 'no' } };
const proposals = [
  {
    ...{ kind: 'stricter_guard', summary: 'It denies instead of asking.' },
    ...{ guard: { ...rule, name: 'sources' }, diff: '--- a/sources.yaml\n-  ask: \u001b[31mno\n+  deny: no\n' },
    tryWith: 'phaseline guards backtest sources.yaml',
  },
  {
    ...{ kind: 'change_instructions', diff: '+- Do not.\n', agent: 'writer-learned-1' },
    ...{ files: { 'agent.yaml': 'name: writer-learned-1\n', 'learned-1.md': '- Do not.\n' } },
    tryWith: 'phaseline experiment --jobs agent=writer --agent writer-learned-1',
  },
  { kind: 'new_rule', problem: 'every predicate also matches accepted calls of successful jobs' },
];

function prepare(): void {
  cli.state.patterns = [pattern];
  cli.state.proposed = { guard: { guard: rule }, proposals: { proposals } };
}

const inFolder = { currentDirectory: folder };
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');

it('promote and withdraw say who can read the learning trace, and send the reason', async () => {
  const promoted = await cli.run(`learning promote ${TRACE} --to project --reason useful`);
  expect(promoted).toMatchObject({ code: 0, out: `${TRACE}: Agents of all jobs of its project can read it.\n` });
  expect(JSON.parse(cli.server.requests.at(-1)!.body)).toEqual({ to: 'project', reason: 'useful' });
  const withdrawn = await cli.run(`learning withdraw ${TRACE} --reason outdated`);
  expect(withdrawn.out).toBe(`${TRACE}: Only agents of its own job can read it. Nothing was changed.\n`);
  expect(JSON.parse(cli.server.requests.at(-1)!.body)).toEqual({ reason: 'outdated' });
  expect(JSON.parse((await cli.run(`learning withdraw ${TRACE} --reason r --json`)).out)).toMatchObject({ id: TRACE });
  expect((await cli.run(`learning promote ${TRACE} --to project`)).code).toBe(2);
});

it('patterns: one line each, with what can be done about them', async () => {
  expect((await cli.run('learning patterns')).err).toContain('No mistake was made five times or more.');
  prepare();
  const { out } = await cli.run('learning patterns --agent writer');
  expect(out.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' | '))).toEqual([
    'id | times | jobs | tokens | cost | last | agent | point | call | files | reason | proposals',
    '0123456789abcdef | 5 | 2 | 500 | $0.000035 | 2030-01-05T06:07:08 | writer | PermissionRequest | write_file (path:string) | docs/*.md | person_refused (sources) | stricter_guard, change_instructions, new_rule',
    '',
  ]);
  expect(cli.server.requests.at(-1)!.query).toEqual({ agent: 'writer' });
  expect(JSON.parse((await cli.run('learning patterns --json')).out).items).toHaveLength(1);
});

it('create-guard writes a draft with the name of its file, once', async () => {
  prepare();
  const { out } = await cli.run(`learning create-guard ${pattern.id} --output no-docs.yaml`, inFolder);
  expect(out).toBe('no-docs.yaml: a draft. Read it, then add it: phaseline guards add no-docs.yaml\n');
  expect(read('no-docs.yaml')).toMatch(/^name: no-docs\nowner: ada\nstage: draft\n/);
  const again = await cli.run(`learning create-guard ${pattern.id} --output no-docs.yaml`, inFolder);
  expect(again.err).toContain('exists. Choose another file with --output.');
  cli.state.proposed = { guard: { problem: 'the calls have no argument in common' }, proposals: {} };
  const none = await cli.run(`learning create-guard ${pattern.id}`, inFolder);
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('has no rule: the calls have no argument') });
  expect((await cli.run('learning create-guard ffff', inFolder)).err).toContain('pattern');
});

it('propose shows each proposal with its difference and the command that tries it', async () => {
  prepare();
  const { code, out } = await cli.run(`learning propose ${pattern.id}`);
  expect(code).toBe(0);
  expect(out.split('\n')).toEqual([
    'A stricter version of the guard',
    '  It denies instead of asking.',
    '',
    ...['--- a/sources.yaml', '-  ask: ·[31mno', '+  deny: no'],
    '',
    'Try it: phaseline guards backtest sources.yaml',
    '',
    'Other instructions',
    '',
    '+- Do not.',
    '',
    'Try it: phaseline experiment --jobs agent=writer --agent writer-learned-1',
    '',
    'A new rule',
    '  none: every predicate also matches accepted calls of successful jobs.',
    '',
    '',
  ]);
  const one = await cli.run(`learning propose ${pattern.id} --kind rule`);
  expect(one).toMatchObject({ code: 1, out: expect.stringMatching(/^A new rule\n/) });
  cli.state.patterns = [{ ...pattern, proposals: ['change_instructions'] }];
  cli.state.proposed = { guard: {}, proposals: { proposals: proposals.slice(1, 2) } };
  const other = await cli.run(`learning propose ${pattern.id} --kind stricter`);
  expect(other.out).toContain('none: this pattern does not allow it; it allows change_instructions.');
  expect((await cli.run(`learning propose ${pattern.id} --kind all`)).code).toBe(2);
});

it('propose writes guards and the folder of an agent, over nothing and nowhere else', async () => {
  prepare();
  const { out } = await cli.run(`learning propose ${pattern.id} --out proposed`, inFolder);
  expect(out.trim().split('\n').slice(-4)).toEqual([
    'Written: proposed/sources.yaml',
    'Written: proposed/writer-learned-1/agent.yaml',
    'Written: proposed/writer-learned-1/learned-1.md',
    'The server reads the agent if PHASELINE_AGENTS_DIR contains proposed.',
  ]);
  expect(read('proposed/sources.yaml')).toMatch(/^name: sources\n/);
  expect(read('proposed/writer-learned-1/learned-1.md')).toBe('- Do not.\n');
  expect((await cli.run(`learning propose ${pattern.id} --out proposed`, inFolder)).err).toContain('--out');
  const evil = { ...proposals[1]!, agent: '../evil' };
  cli.state.proposed = { guard: {}, proposals: { proposals: [evil] } };
  const refused = await cli.run(`learning propose ${pattern.id} --out other`, inFolder);
  expect(refused.err).toContain('"../evil"');
});
