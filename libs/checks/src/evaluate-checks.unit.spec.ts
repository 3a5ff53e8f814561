import type { JsonObject } from '@phaseline/basics';
import type { CallId, StreamId } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import type { CallRecord } from './call-record.js';
import { checksSchema, type Check } from './check.js';
import type { CheckInput } from './check-input.js';
import { describeChecks } from './describe-check.js';
import { evaluateChecks } from './evaluate-check.js';
import { parseCheck } from './parse-check.js';

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  /** Files when the todo and the phase began. */
  readonly earlier?: Readonly<Record<string, string>>;
  readonly calls?: readonly {
    readonly name: string;
    readonly args?: JsonObject;
    readonly result?: JsonObject;
    readonly outcome?: 'failed';
    readonly bookkeeping?: true;
    readonly version: number;
  }[];
  readonly writes?: Readonly<Record<string, number>>;
  readonly schemas?: CheckInput['schemas'];
  readonly runs?: CheckInput['runs'];
}

const hashOf = (text: string) => `hash of ${text}`;

function buildInput({
  files = {},
  earlier = {},
  calls = [],
  writes = {},
  schemas = {},
  runs = new Map(),
}: Given): CheckInput {
  const texts = new Map(Object.values(files).map((text) => [hashOf(text), text]));
  return {
    tree: Object.fromEntries(
      Object.entries(files).map(([path, text]) => [
        path,
        { hash: hashOf(text), size: text.length, writtenAt: '2026-01-01T00:00:00Z' },
      ]),
    ),
    hashAt: (_since, path) => (Object.hasOwn(earlier, path) ? hashOf(earlier[path]!) : undefined),
    calls: calls.map(({ name, args = {}, outcome, bookkeeping, version, result }, index): CallRecord => ({
      ...(bookkeeping ? { bookkeeping } : {}),
      callId: `c${index}` as CallId,
      name,
      arguments: args,
      outcome: outcome ?? 'completed',
      order: version,
      event: { streamId: 'phase-x-1' as StreamId, version },
      ...(result ? { result } : {}),
    })),
    todoFrom: 10,
    lastWrite: (path) => writes[path],
    readText: (hash) => texts.get(hash),
    schemas,
    provable: ['unit'],
    runs,
  };
}

function evaluate(checks: readonly unknown[], given: Given) {
  return evaluateChecks(checksSchema.parse(checks), buildInput(given));
}

function explain(checks: readonly unknown[], given: Given): string {
  const result = evaluate(checks, given);
  return result.kind === 'fails'
    ? result.failures.map(({ expected, found }) => `${expected} | ${found}`).join('\n')
    : result.kind;
}

describe('a file check', () => {
  it.each<[string, JsonObject, Given, string]>([
    ['a missing file', { path: 'a.md' }, {}, 'a file a.md | it does not exist'],
    ['a file', { path: 'a.md' }, { files: { 'a.md': '' } }, 'holds'],
    [
      'a touched file',
      { path: 'a.md', changedSince: 'phase' },
      { files: { 'a.md': 'x' }, earlier: { 'a.md': 'x' } },
      'a.md: changed since the phase began | it has the same content',
    ],
    [
      'a changed file',
      { path: 'a.md', changedSince: 'phase' },
      { files: { 'a.md': 'y' }, earlier: { 'a.md': 'x' } },
      'holds',
    ],
    [
      'padding',
      { path: 'a.md', minBytes: 5 },
      { files: { 'a.md': 'a          b\n\n\n' } },
      'a.md: at least 5 bytes without repeated white space | 3',
    ],
    [
      'blank lines',
      { path: 'a.md', minLines: 2 },
      { files: { 'a.md': 'a\n\n\n' } },
      'a.md: at least 2 lines that are not blank | 1',
    ],
    ['too many lines', { path: 'a.md', maxLines: 1 }, { files: { 'a.md': 'a\nb\n' } }, 'a.md: at most 1 lines | 2'],
    [
      'a pattern per line',
      { path: 'a.md', matches: '^- \\[[ x]\\] ' },
      { files: { 'a.md': '# Plan\n- [ ] one' } },
      'holds',
    ],
    [
      'two patterns',
      { path: 'a.md', matches: ['one', 'two'] },
      { files: { 'a.md': 'one' } },
      'a.md: text that matches two | none',
    ],
    [
      'an empty list',
      { path: 'a.json', minItems: 1 },
      { files: { 'a.json': '[]' } },
      'a.json: a list of at least 1 items | 0',
    ],
    [
      'a list inside',
      { path: 'a.json', pointer: '/items', minItems: 1 },
      { files: { 'a.json': '{"items":[1]}' } },
      'holds',
    ],
    [
      'no JSON',
      { path: 'a.json', minItems: 1 },
      { files: { 'a.json': '{' } },
      'a.json: valid JSON | it cannot be parsed',
    ],
    [
      'JSON Lines',
      { path: 'a.jsonl', minItems: 2 },
      { files: { 'a.jsonl': '{}\n\n' } },
      'a.jsonl: at least 2 lines that are not blank | 1',
    ],
    ['a glob', { path: 'src/**/*.ts', minBytes: 1 }, { files: { 'src/a.ts': '', 'src/b/c.ts': 'x' } }, 'holds'],
    ['a forbidden file', { path: '*.tmp', exists: false }, { files: { 'a.tmp': '' } }, 'no file *.tmp | a.tmp'],
    ['a prototype member', { path: '__proto__' }, {}, 'a file __proto__ | it does not exist'],
  ])('judges %s', (_name, file, given, expected) => {
    expect(explain([{ file }], given)).toBe(expected);
  });

  it('checks the content against a schema of the agent', () => {
    const schemas = { 'schemas/list.json': { type: 'array', items: { type: 'object', required: ['id'] } } };
    const check = { file: { path: 'a.json', jsonSchema: 'schemas/list.json' } };
    expect(explain([check], { files: { 'a.json': '[{"id":1}]' }, schemas })).toBe('holds');
    expect(explain([check], { files: { 'a.json': '[{}]' }, schemas })).toMatch(/fulfils schemas\/list\.json \| \/0/);
    expect(explain([check], { files: { 'a.json': '[]' } })).toMatch(/the agent has no such schema/);
  });

  it('names what it read', () => {
    expect(evaluate([{ file: { path: '*.md' } }], { files: { 'b.md': 'b', 'a.md': 'a' } })).toEqual({
      kind: 'holds',
      evidence: [{ check: { file: { path: '*.md' } }, events: [], files: [{ path: 'a.md', hash: 'hash of a' }] }],
    });
  });
});

describe('a call check', () => {
  const ran = (version: number, args: JsonObject = { program: 'npm', args: ['test'] }, exitCode = 0) => ({
    name: 'run_command',
    args,
    result: { exitCode },
    version,
  });
  const wanted = {
    tool: 'run_command',
    args: { program: 'npm', args: { startsWith: ['test'] } },
    result: { exitCode: 0 },
  };

  it.each<[string, JsonObject, Given, string]>([
    ['a call for this todo', wanted, { calls: [ran(11)] }, 'holds'],
    ['a call for an earlier todo', wanted, { calls: [ran(9)] }, 'none'],
    ['a call in the phase', { ...wanted, since: 'phase' }, { calls: [ran(9)] }, 'holds'],
    [
      'another exit code',
      wanted,
      { calls: [ran(11, undefined, 1)] },
      '1, the last of which had other values of exitCode',
    ],
    [
      'other arguments',
      wanted,
      { calls: [ran(11, { program: 'echo', args: ['test'] })] },
      '1, the last of which had other values of program',
    ],
    [
      'a failed call',
      { tool: 'read_file' },
      { calls: [{ name: 'read_file', outcome: 'failed', version: 11 }] },
      '1, the last of which failed',
    ],
    [
      'a failed call that is wanted',
      { tool: 'read_file', outcome: 'failed' },
      { calls: [{ name: 'read_file', outcome: 'failed', version: 11 }] },
      'holds',
    ],
    [
      'a call that is no work',
      { tool: '*', work: true },
      { calls: [{ name: 'todo_complete', bookkeeping: true, version: 11 }] },
      'none',
    ],
    ['too few calls', { ...wanted, min: 2 }, { calls: [ran(11)] }, '1 of them'],
    [
      'a read before the write',
      { tool: 'read_file', before: 'a.md' },
      { calls: [{ name: 'read_file', version: 11 }], writes: { 'a.md': 12 } },
      'holds',
    ],
    [
      'a read after the write',
      { tool: 'read_file', before: 'a.md' },
      { calls: [{ name: 'read_file', version: 13 }], writes: { 'a.md': 12 } },
      'none',
    ],
    ['names by glob', { tool: 'mcp__*' }, { calls: [{ name: 'mcp__git__log', version: 11 }] }, 'holds'],
  ])('judges %s', (_name, call, given, expected) => {
    expect(explain([{ call }], given).split(' | ').at(-1)).toBe(expected);
  });
});

describe('a read check', () => {
  const earlier = { 'plan.md': 'x', 'archive/phase_999.md': 'a', 'archive/phase_1000.md': 'b' };
  const files = { ...earlier, 'new.md': 'y' };
  const reads = (path: string, version: number, args: JsonObject = {}) => ({
    name: 'read_file',
    args: { path, ...args },
    version,
  });
  const unread = (path: string) => `${path} read from its beginning with read_file in this phase | it was not read`;

  it.each<[string, JsonObject, Given, string]>([
    ['a file that was not read', { path: 'plan.md' }, {}, unread('plan.md')],
    ['a file that was read for an earlier todo', { path: 'plan.md' }, { calls: [reads('./plan.md', 3)] }, 'holds'],
    ['a file that was read elsewhere', { path: 'plan.md' }, { calls: [reads('new.md', 3)] }, unread('plan.md')],
    [
      'a read that failed',
      { path: 'plan.md' },
      { calls: [{ ...reads('plan.md', 3), outcome: 'failed' }] },
      unread('plan.md'),
    ],
    ['a read of its end', { path: 'plan.md' }, { calls: [reads('plan.md', 3, { from_line: 100 })] }, unread('plan.md')],
    ['a file that did not exist when the phase began', { path: 'new.md' }, {}, 'holds'],
    ['a file that does not exist', { path: 'none.md' }, {}, 'holds'],
    [
      'each file of a glob',
      { path: 'archive/*' },
      { calls: [reads('archive/phase_999.md', 3)] },
      unread('archive/phase_1000.md'),
    ],
    [
      'the newest file, which does not come last by name',
      { path: 'archive/*', newest: true },
      { calls: [reads('archive/phase_999.md', 3)] },
      unread('archive/phase_1000.md'),
    ],
    ['the newest file', { path: 'archive/*', newest: true }, { calls: [reads('archive/phase_1000.md', 3)] }, 'holds'],
    [
      'a read before the write',
      { path: 'plan.md', before: 'plan.md' },
      { calls: [reads('plan.md', 3)], writes: { 'plan.md': 4 } },
      'holds',
    ],
    [
      'a read after the write',
      { path: 'plan.md', before: 'plan.md' },
      { calls: [reads('plan.md', 5)], writes: { 'plan.md': 4 } },
      'plan.md read from its beginning with read_file in this phase before the last write of plan.md | it was read only after that; write plan.md again',
    ],
  ])('judges %s', (_name, read, given, expected) => {
    expect(explain([{ read }], { files, earlier, ...given })).toBe(expected);
  });
});

describe('a proof of a feature', () => {
  const event = { streamId: 'phase-x-1' as StreamId, version: 20 };
  const ended = { passed: true, reason: '2 tests passed.', event };
  const proved = { ...ended, proof: { proved: true, reason: '' } };
  const green = { ...ended, proof: { proved: false, reason: 'these cases passed before the work began: adds' } };
  const review = (passed: boolean) => ({ passed, reason: 'a test was weakened', event: { ...event, version: 21 } });
  const expected = 'the verifier unit proves the feature';

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['without a run', {}, 'open'],
    ['without a run that compares its cases', { 'verifier:unit': proved }, 'open'],
    ['of a run that proved it', { 'proof:unit': proved }, 'holds'],
    ['of a run that passed without proving it', { 'proof:unit': green }, `${expected} | ${green.proof.reason}`],
    ['of a run without a proof', { 'proof:unit': ended }, `${expected} | its run proves no feature`],
    [
      'of a run that failed, whatever it says about the cases',
      { 'proof:unit': { ...proved, passed: false, reason: '1 of 2 tests failed.' } },
      `${expected} | 1 of 2 tests failed.`,
    ],
    ['with changed inputs that nobody reviewed', { 'proof:unit': { ...proved, changedInputs: ['a.test.js'] } }, 'open'],
    [
      'with changed inputs that the judge refuses',
      { 'proof:unit': { ...proved, changedInputs: ['a.test.js'] }, 'judge:diff-review': review(false) },
      'diff-review agrees to the changes of a.test.js | a test was weakened',
    ],
    [
      'with changed inputs that the judge accepts',
      { 'proof:unit': { ...proved, changedInputs: ['a.test.js'] }, 'judge:diff-review': review(true) },
      'holds',
    ],
    [
      'with changed inputs that the judge accepts, which proves nothing all the same',
      { 'proof:unit': { ...green, changedInputs: ['a.test.js'] }, 'judge:diff-review': review(true) },
      `${expected} | ${green.proof.reason}`,
    ],
  ])('is judged %s', (_name, runs, found) => {
    expect(explain([{ proof: 'unit' }], { runs: new Map(Object.entries(runs)) as CheckInput['runs'] })).toBe(found);
  });

  it('needs the run of the verifier, and is described', () => {
    expect(evaluate([{ proof: 'unit' }], {})).toEqual({
      kind: 'open',
      runs: [{ kind: 'verifier', name: 'unit', proves: true }],
    });
    expect(explain([{ proof: 'api' }], {})).toBe('the verifier api proves the feature | no case of it is named');
    expect(describeChecks([{ proof: 'unit' }], buildInput({}))).toContain(expected);
    expect(parseCheck({ proof: 'unit' }, 'checks[1]')).toEqual({ check: { proof: 'unit' } });
    expect(parseCheck({ proof: 'No name' }, 'checks[1]')).toMatchObject({
      problem: expect.stringMatching(/^checks\[1\]\.proof/),
    });
  });
});

describe('combined checks', () => {
  const there: Check = { file: { path: 'a' } };
  const missing: Check = { file: { path: 'b' } };
  const tested: Check = { verifier: 'unit' };
  const files = { a: '' };
  const run = (passed: boolean) =>
    new Map([
      [
        'verifier:unit',
        { passed, reason: '2 tests failed', event: { streamId: 'phase-x-1' as StreamId, version: 20 } },
      ],
    ]);

  it.each<[string, readonly Check[], Given, string]>([
    ['all of them', [{ all: [there, missing] }], { files }, 'a file b | it does not exist'],
    ['any of them', [{ any: [missing, there] }], { files }, 'holds'],
    [
      'none of them',
      [{ not: { any: [missing, there] } }],
      { files },
      'not: {"any":[{"file":{"path":"b"}},{"file":{"path":"a"}}]} | it holds',
    ],
    ['a verifier that has to run', [tested, there], { files }, 'open'],
    ['a verifier that need not run', [tested, missing], { files }, 'a file b | it does not exist'],
    ['a verifier that passed', [tested], { runs: run(true) }, 'holds'],
    ['a verifier that failed', [tested], { runs: run(false) }, 'the verifier unit passes | 2 tests failed'],
    ['what holds without a verifier', [{ any: [tested, there] }], { files }, 'holds'],
    ['a negated verifier', [{ not: tested }], {}, 'open'],
  ])('judges %s', (_name, checks, given, expected) => {
    expect(explain(checks, given)).toBe(expected);
  });

  it('refuses patterns that could stop a worker, and names that it does not know', () => {
    for (const checks of [
      [{ file: { path: 'a', matches: '(?=a)' } }],
      [{ file: { path: '../a\\' } }],
      [{ call: { tool: 'x', args: { a: { like: 1 } } } }],
      [{ shell: 'true' }],
      [{ not: { not: { not: { not: { file: { path: 'a' } } } } } }],
    ])
      expect(checksSchema.safeParse(checks).success).toBe(false);
  });

  it('matches a nested pattern in linear time', () => {
    const files = { a: 'a'.repeat(100_000) };
    expect(explain([{ file: { path: 'a', matches: '^(a+)+$b' } }], { files })).toMatch(/none$/);
  });
});
