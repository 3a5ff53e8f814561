import type { JsonObject } from '@phaseline/basics';
import type { BacktestFigures } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import type { RuleCondition } from '../rule.js';
import {
  addGuardVersion,
  promoteGuard,
  recordBacktest,
  rollBackGuard,
  type GuardChange,
} from './decide-guard-change.js';
import { evolveGuard, findVersion, NO_GUARD, type GuardHistory } from './guard-history.js';
import { excludesAgent } from './promotion-evidence.js';

const HASH = 'a'.repeat(64);
const NOTHING = { costMicroUsd: 0, durationMs: 0 };
const basis = { cause: 'outcomes_worse', figure: '5 of 6 approvals refused' } as const;

const buildFigures = (change: Partial<BacktestFigures> = {}): BacktestFigures => ({
  ...{ jobs: 9, calls: 60, hits: 5, possiblyWrong: 0, labelled: 40, isComplete: true, examples: [] },
  ...{ moneyAtRisk: { atLeast: NOTHING, atMost: NOTHING }, upTo: { until: '2026-11-01T00:00:00.000Z' } },
  ...change,
});

/** A condition is JSON; its type has no index signature. */
const toBody = (when: RuleCondition): JsonObject => ({ when: when as unknown as JsonObject, then: {} });

function apply(history: GuardHistory, change: GuardChange): GuardHistory {
  if ('refused' in change) throw new Error(change.refused);
  return change.events.reduce(evolveGuard, history);
}

const add = (history: GuardHistory, minLabelled = 30, when: RuleCondition = { tool: 'a' }): GuardHistory =>
  apply(
    history,
    addGuardVersion(history, {
      ...{ actor: 'ada', name: 'tested', owner: 'ada', version: HASH, minLabelled },
      definition: { kind: 'rule', points: ['PreToolUse'], onFailure: 'deny', body: toBody(when) },
    }),
  );
const backtest = (history: GuardHistory, figures = buildFigures(), number = 1): GuardHistory =>
  apply(history, recordBacktest(history, number, figures, 'ada'));
const promote = (
  history: GuardHistory,
  to: 'shadow' | 'production',
  { actor = 'ben', frozenAgents = [] as string[], number = undefined as number | undefined } = {},
): GuardChange => promoteGuard(history, { version: HASH, number, to, actor, reason: 'wanted', basis, frozenAgents });
const refuse = (change: GuardChange): string => ('refused' in change ? change.refused : 'accepted');

describe('a version of a stored guard', () => {
  it('goes from draft through backtest and shadow to production, with the basis of each promotion', () => {
    const draft = add(NO_GUARD);
    expect(refuse(promote(draft, 'shadow'))).toMatch(/is a draft.*guards backtest tested --record/);
    expect(refuse(promote(draft, 'production'))).toMatch(/is a draft/);
    const tested = backtest(draft);
    expect(tested.versions[0]!.stage).toBe('backtest');
    expect(refuse(promote(tested, 'production'))).toMatch(/promote it to shadow first/);
    const shadow = apply(tested, promote(tested, 'shadow'));
    // Newer figures do not take it back.
    expect(backtest(shadow).versions[0]!.stage).toBe('shadow');
    const change = promote(shadow, 'production');
    expect(change).toMatchObject({
      events: [{ data: { from: 'shadow', to: 'production', cause: 'promoted', basis } }],
    });
    expect(apply(shadow, change).versions[0]!.stage).toBe('production');
  });

  it('cannot be promoted by its author, who may backtest it', () => {
    expect(refuse(promote(backtest(add(NO_GUARD)), 'shadow', { actor: 'ada' }))).toMatch(/another person/);
  });

  it('is refused below the number of outcomes that it demands, by the newest figures', () => {
    const few = backtest(add(NO_GUARD), buildFigures({ labelled: 29 }));
    expect(refuse(promote(few, 'shadow'))).toMatch(/compared 29 calls .* demands 30/);
    expect(refuse(promote(backtest(few), 'shadow'))).toBe('accepted');
    const shadow = apply(backtest(few), promote(backtest(few), 'shadow'));
    expect(refuse(promote(backtest(shadow, buildFigures({ labelled: 3 })), 'production'))).toMatch(/compared 3/);
    expect(refuse(promote(backtest(add(NO_GUARD, 0), buildFigures({ labelled: 0 })), 'shadow'))).toBe('accepted');
  });

  it('is refused when cases break that pass without it', () => {
    const broken = ['one', 'two', 'three', 'four', 'five', 'six'];
    const history = backtest(add(NO_GUARD), buildFigures({ cases: { passed: 2, broken } }));
    expect(refuse(promote(history, 'shadow'))).toMatch(/breaks cases .*: one, two, three, four, five and 1 more/);
    const one = backtest(history, buildFigures({ cases: { passed: 7, broken: ['one'] } }));
    expect(refuse(promote(one, 'shadow'))).toMatch(/breaks cases .*: one; /);
    const passing = backtest(history, buildFigures({ cases: { passed: 8, broken: [] } }));
    expect(refuse(promote(passing, 'shadow'))).toBe('accepted');
  });

  it('is refused when it could apply to a frozen agent', () => {
    const reaching = backtest(add(NO_GUARD));
    const refused = refuse(promote(reaching, 'shadow', { frozenAgents: ['auditor'] }));
    expect(refused).toMatch(/could apply to frozen agents: auditor; add a version whose condition 'agent' excludes/);
    const excluding = backtest(add(NO_GUARD, 30, { tool: 'a', not: { agent: 'auditor' } }));
    expect(refuse(promote(excluding, 'shadow', { frozenAgents: ['auditor'] }))).toBe('accepted');
  });

  it('is a new one with other demands, which has to be backtested and found by its number or as the newest', () => {
    const first = backtest(add(NO_GUARD));
    expect(add(first).versions).toHaveLength(1);
    const second = add(first, 0);
    expect(second.versions.map(({ stage }) => stage)).toEqual(['backtest', 'draft']);
    expect(refuse(promote(second, 'shadow'))).toMatch(/version 2 is a draft/);
    expect(refuse(promote(second, 'shadow', { number: 1 }))).toBe('accepted');
    expect(findVersion(second, {})!.added.number).toBe(2);
  });

  it('has to be backtested again after a rollback, which the system makes with its figure', () => {
    const tested = backtest(add(NO_GUARD));
    const shadow = apply(tested, promote(tested, 'shadow'));
    const production = apply(shadow, promote(shadow, 'production'));
    const change = rollBackGuard(production, { actor: 'system', reason: 'limit exceeded', basis });
    expect(change).toMatchObject({ events: [{ data: { actor: 'system', cause: 'rolled_back', to: 'draft', basis } }] });
    expect(refuse(promote(apply(production, change), 'shadow'))).toMatch(/is a draft/);
  });
});

describe('a guard excludes an agent', () => {
  const excludes = (when: RuleCondition): boolean => excludesAgent({ kind: 'rule', body: toBody(when) }, 'auditor');

  it.each<[boolean, RuleCondition]>([
    [true, { agent: 'writer' }],
    [true, { agent: { in: ['writer', 'reader'] } }],
    [true, { all: [{ tool: 'a' }, { agent: 'writer' }] }],
    [true, { any: [{ agent: 'writer' }, { agent: 'reader', tool: 'a' }] }],
    [true, { not: { agent: { in: ['auditor', 'other'] } } }],
    [false, { tool: 'a' }],
    [false, { agent: 'auditor' }],
    [false, { agent: { glob: 'audit*' } }],
    [false, { any: [{ agent: 'writer' }, { tool: 'a' }] }],
    // It applies to the auditor with every other tool.
    [false, { not: { agent: 'auditor', tool: 'a' } }],
  ])('%s: %j', (expected, when) => {
    expect(excludes(when)).toBe(expected);
  });

  it('never as a script', () => {
    expect(excludesAgent({ kind: 'script', body: { code: '() => undefined' } }, 'auditor')).toBe(false);
  });
});
