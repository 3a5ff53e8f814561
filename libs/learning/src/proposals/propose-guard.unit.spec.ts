import type { JsonObject } from '@phaseline/basics';
import { parseStoredGuard } from '@phaseline/domain';
import { expect, it } from 'vitest';
import { deriveRule } from './derive-rule.js';
import { groupViolations } from './proposals.fixture.js';
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

it('the proposed file is a rule that can be stored, for the agent and the tool of the pattern', () => {
  const group = groupViolations({});
  const proposal = proposeGuard(group, paths('docs/a.md'), 'ada');
  if ('problem' in proposal) throw new Error(proposal.problem);
  expect(proposal.guard).toMatchObject({
    ...{ name: `learned-${group.pattern.id}`, owner: 'ada', stage: 'draft' },
    when: { agent: 'tester', tool: 'write_file', args: { path: { matches: '^src/(?s:.*)\\.ts$' } } },
  });
  expect(JSON.stringify(proposal.guard)).not.toContain('evil');
  expect(parseStoredGuard(proposal.guard)).toMatchObject({ definition: { kind: 'rule', points: ['PreToolUse'] } });
});

it('calls that a guard denies already, and those that nobody corrected, get no new rule', () => {
  const denied = groupViolations({ source: 'enforcement_hook', point: 'PreToolUse', guard: 'block-direct-edit' });
  expect(proposeGuard(denied, [], 'ada')).toEqual({ problem: expect.stringContaining('block-direct-edit') });
  const malformed = groupViolations({ source: 'enforcement_hook', point: 'PreToolUse', reason: 'bad_arguments' });
  expect(proposeGuard(malformed, [], 'ada')).toEqual({ problem: expect.stringContaining('change the instructions') });
});

it('a stored guard is added as a draft: a file may say so, and nothing else', () => {
  const proposal = proposeGuard(groupViolations(), [], 'ada');
  if ('problem' in proposal) throw new Error(proposal.problem);
  expect(parseStoredGuard({ ...proposal.guard, stage: 'production' })).toEqual({
    problems: [{ path: 'stage', message: expect.stringContaining('added as a draft') }],
  });
});
