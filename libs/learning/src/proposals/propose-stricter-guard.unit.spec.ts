import { guardFileSchema, parseStoredGuard, type Guard, type Rule } from '@phaseline/domain';
import { expect, it } from 'vitest';
import { groupViolations } from './proposals.fixture.js';
import { proposeStricterGuard, type DecidingGuard } from './propose-stricter-guard.js';

function decide(then: Rule['then'], changes: Partial<Guard> = {}, more: Partial<DecidingGuard> = {}): DecidingGuard {
  const rule: Rule = { when: { tool: 'write_file', args: { path: { glob: 'src/**' } } }, then };
  return {
    guard: {
      ...{ name: 'sources', owner: 'ada', version: 'a'.repeat(64), scope: 'tenant', kind: 'rule', stage: 'production' },
      ...{ points: ['PreToolUse'], onFailure: 'deny', body: rule as never },
      ...changes,
    },
    ...{ approved: 0, evading: [] },
    ...more,
  };
}

const refused = groupViolations({ guard: 'sources' }).pattern;
const denied = groupViolations({
  ...{ guard: 'sources', source: 'enforcement_hook', point: 'PreToolUse', reason: 'guard_denied' },
}).pattern;
const DENY = { deny: 'only people' };

it('a guard that asked about calls which people always refused denies them, with everything else as it was', () => {
  const stored = { description: 'Sources.', minLabelled: 5, limits: { maxOverrides: 1, automatic: true } };
  const ask = { ask: 'may {agent} write {args.path}?', suggest: 'Write a note.' };
  const proposal = proposeStricterGuard(refused, decide(ask, { workflows: ['build'] }, { stored }));
  expect(proposal).toMatchObject({
    ...{ kind: 'stricter_guard', tryWith: 'phaseline guards backtest sources.yaml' },
    summary: expect.stringMatching(/denies instead of asking: people refused 5 .* version aaaaaaaa \(tenant\)/),
  });
  expect(proposal.guard).toEqual({
    ...{ name: 'sources', owner: 'ada', description: 'Sources.', workflows: ['build'], minLabelled: 5 },
    limits: stored.limits,
    when: { tool: 'write_file', args: { path: { glob: 'src/**' } } },
    then: { deny: ask.ask, suggest: ask.suggest },
  });
  expect(parseStoredGuard(proposal.guard)).toMatchObject({ definition: { kind: 'rule' } });
  expect(guardFileSchema.safeParse(proposal.guard).success).toBe(true);
  const changed = proposal.diff!.split('\n').filter((line) => /^[-+] /.test(line));
  expect(changed).toEqual(['-  ask: may {agent} write {args.path}?', '+  deny: may {agent} write {args.path}?']);
});

it('a guard that continues if it cannot decide denies then too', () => {
  const { guard, diff } = proposeStricterGuard(denied, decide(DENY, { onFailure: 'continue' }));
  expect(guard).not.toHaveProperty('onFailure');
  expect(diff).toContain('-onFailure: continue');
});

it('a guard holds for the tools with which agents got around it, except for one that it suggests', () => {
  const around = (tool: string, path: string) => ({ tool, arguments: { path } });
  const evading = [around('edit_file', './src/a.ts'), around('append_file', 'src/b.ts'), around('copy', 'docs/a.md')];
  const { guard } = proposeStricterGuard(denied, decide(DENY, {}, { evading }));
  expect(guard).toMatchObject({ when: { tool: ['write_file', 'append_file', 'edit_file'] }, then: DENY });
  const suggesting = decide({ ...DENY, suggest: 'Use append_file or edit_file.' }, {}, { evading });
  expect(proposeStricterGuard(denied, suggesting).problem).toMatch(/denies all of these calls already/);
});

it.each([
  ['denies everything already', denied, decide(DENY), /denies all of these calls already/],
  [
    'asked about calls that people approved',
    refused,
    decide({ ask: 'ok?' }, {}, { approved: 2 }),
    /approved calls .* asked \(2\)/,
  ],
  ['is code', denied, decide(DENY, { kind: 'script', body: { code: 'x' } }), /is a script; only its author/],
  ['is not recorded', denied, undefined, /did not record the guard sources/],
  ['did not decide', groupViolations().pattern, decide(DENY), /no guard decided/],
] as const)('there is no stricter version of a guard that %s', (_, pattern, found, problem) => {
  expect(proposeStricterGuard(pattern, found)).toEqual({
    kind: 'stricter_guard',
    problem: expect.stringMatching(problem),
  });
});
