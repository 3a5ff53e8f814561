import type { JsonObject } from '@phaseline/basics';
import type { EventId, JobId } from '@phaseline/contracts';
import { parseStoredGuard } from '@phaseline/domain';
import { expect, it } from 'vitest';
import { extractPatterns } from '../patterns/extract-patterns.js';
import type { Violation } from '../patterns/violation.js';
import { deriveRule } from './derive-rule.js';
import { proposeGuard } from './propose-guard.js';

const paths = (...list: string[]): JsonObject[] => list.map((path) => ({ path }));

it.each<[string, JsonObject[], object]>([
  ['the same values', [{ path: './a/b.ts' }, { path: 'a//b.ts' }], { path: { equals: 'a/b.ts' } }],
  ['the same beginning', paths('src/a', 'src/b'), { path: { startsWith: 'src/' } }],
  ['the same end', paths('a.log', 'b.log'), { path: { matches: '\\.log$' } }],
  ['the same beginning and end', paths('src/a.ts', 'src/lib/b.ts'), { path: { matches: '^src/(?s:.*)\\.ts$' } }],
  ['overlapping texts', paths('aa', 'aaa'), { path: { startsWith: 'aa' } }],
  ['nothing in common', paths('x', 'y'), { path: { exists: true } }],
  [
    'the same first items',
    [{ args: ['rm', '-r', 'a'] }, { args: ['rm', '-r'] }],
    { args: { startsWith: ['rm', '-r'] } },
  ],
  ['an argument that not all have', [{ path: 'a', force: true }, { path: 'a' }], { path: { equals: 'a' } }],
])('calls with %s have this least general predicate', (_, violating, args) => {
  expect(deriveRule(violating, [])).toEqual({ alternatives: [args] });
  expect(deriveRule(violating.toReversed(), [])).toEqual({ alternatives: [args] });
});

it('a predicate that matches an accepted call is split into as few groups as possible', () => {
  const violating = paths('docs/a.md', 'test/a.md', 'docs/b.md', 'test/b.md');
  const derived = deriveRule(violating, paths('src/a.md'));
  expect(derived).toEqual({
    alternatives: [{ path: { matches: '^docs/(?s:.*)\\.md$' } }, { path: { matches: '^test/(?s:.*)\\.md$' } }],
  });
  expect(deriveRule(violating.toReversed(), paths('src/a.md'))).toEqual(derived);
});

it.each<[string, JsonObject[], JsonObject[], RegExp]>([
  ['an accepted call equals a violating one', paths('a', 'b'), paths('./a'), /accepted calls/],
  ['four groups would be needed', paths('a/x', 'b/x', 'c/x', 'd/x'), paths('e/x'), /accepted calls/],
  ['the calls have no arguments', [{}, {}], [], /no argument in common/],
  ['there are no calls', [], [], /no calls/],
])('there is no rule if %s', (_, violating, accepted, problem) => {
  expect(deriveRule(violating, accepted)).toEqual({ problem: expect.stringMatching(problem) });
});

function extract(changes: Partial<Violation>) {
  const violations = ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts', 'src/e.ts'].map((path, index): Violation => ({
    trace: `e${index}` as EventId,
    position: 100 + index,
    jobId: 'j' as JobId,
    at: '2030-01-01T00:00:00Z',
    ...{ tenant: 'red', agent: 'tester', source: 'user_correction', reason: 'person_refused', happened: '{args.evil}' },
    ...{ point: 'PermissionRequest', tokens: 1, costMicroUsd: 1 },
    call: { tool: 'write_file', arguments: { path } },
    ...changes,
  }));
  return extractPatterns(violations)[0]!;
}

it('the proposed file is a rule that can be stored, for the agent and the tool of the pattern', () => {
  const group = extract({});
  const proposal = proposeGuard(group, paths('docs/a.md'), 'ada');
  if ('problem' in proposal) throw new Error(proposal.problem);
  expect(proposal.guard).toMatchObject({
    ...{ name: `learned-${group.pattern.id}`, owner: 'ada', stage: 'draft' },
    when: { agent: 'tester', tool: 'write_file', args: { path: { matches: '^src/(?s:.*)\\.ts$' } } },
  });
  expect(JSON.stringify(proposal.guard)).not.toContain('evil');
  const { stage: _stage, ...stored } = proposal.guard;
  expect(parseStoredGuard(stored)).toMatchObject({ definition: { kind: 'rule', points: ['PreToolUse'] } });
});

it('calls that a guard denies already, and those that nobody corrected, get no new rule', () => {
  const denied = extract({ source: 'enforcement_hook', point: 'PreToolUse', guard: 'block-direct-edit' });
  expect(proposeGuard(denied, [], 'ada')).toEqual({ problem: expect.stringContaining('block-direct-edit') });
  const malformed = extract({ source: 'enforcement_hook', point: 'PreToolUse', reason: 'bad_arguments' });
  expect(proposeGuard(malformed, [], 'ada')).toEqual({ problem: expect.stringContaining('change the instructions') });
});
