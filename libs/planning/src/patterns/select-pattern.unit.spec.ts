import { SeededRandom } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import { adaptationLogEntrySchema } from '../artifacts/adaptation-log-entry.js';
import { patternSpecSchema } from '../artifacts/pattern-spec.js';
import type { PatternDefinition } from './pattern-definition.js';
import type { ProposalSettings } from '@phaseline/contracts';
import { getProposalKey, type Proposal } from './proposal.js';
import { selectPattern, type PatternRequest, type TenantPatterns } from './select-pattern.js';
import { readShippedPatterns } from './shipped-patterns.fixture.js';

const patterns = readShippedPatterns();
const cycle = { endDate: 0, recurrence: 1, cumulativeMeasure: 0, changeOfState: 0 };
const subtype: Proposal = {
  level: 'subtype',
  name: 'proposed:daily_health_protocol_v2',
  rfc: 'Steps depend on a reading.',
};
const key = 'recurring_cycle/proposed:daily_health_protocol_v2';
const definition: PatternDefinition = {
  ...patterns.find(({ pattern }) => pattern === 'milestone_project')!,
  ...{ pattern: 'proposed:relay', sourcePattern: 'milestone_project' },
};
const topLevel: Proposal = {
  ...{ level: 'top_level', name: 'proposed:relay', rfc: 'Work is handed over.', sourcePattern: 'milestone_project' },
  definition,
};

function buildTenant(
  settings: Partial<ProposalSettings> = {},
  record: { readonly approved?: readonly string[]; readonly refused?: readonly string[] } = {},
): TenantPatterns {
  return {
    patterns,
    settings: { ALLOW_NEW_SUBTYPE_PROPOSALS: true, REQUIRE_RFC_FOR_NEW_SUBTYPE: true, ...settings },
    record: { approved: new Set(record.approved), refused: new Set(record.refused) },
  };
}

const select = (request: Partial<PatternRequest>, tenant = buildTenant()) =>
  selectPattern({ features: cycle, ...request }, tenant, 'planner');

describe('selectPattern', () => {
  it('selects the nearest canonical pattern, with a known subtype', () => {
    expect(select({ subtype: 'protocol_routine' }).pattern).toEqual({
      ...{ patternType: 'recurring_cycle', subtype: 'protocol_routine', confidence: 1, introducedBy: 'system' },
    });
  });

  it('leaves out a subtype that the pattern does not have', () => {
    expect(select({ subtype: 'sprint' })).toMatchObject({ unknownSubtype: 'sprint', pattern: { confidence: 1 } });
    expect(select({ subtype: 'sprint' }).pattern.subtype).toBeUndefined();
  });

  it('prefers the pattern that a person asked for', () => {
    const { pattern, ranking } = select({ requestedPattern: 'strategic_transformation' });
    expect(pattern).toMatchObject({ patternType: 'strategic_transformation', introducedBy: 'user_feedback' });
    expect(pattern.confidence).toBeLessThan(ranking.nearest.score);
  });

  it('always returns a PatternSpec', () => {
    const random = new SeededRandom(11);
    const kinds = new Map<string, number>();
    for (let count = 0; count < 500; count++) {
      const number = () => random.between(0, 4) / 4;
      const proposal = random.pick([
        undefined,
        subtype,
        topLevel,
        { level: 'subtype', name: 'proposed:bare' } as const,
      ]);
      const tenant = buildTenant(
        { ALLOW_NEW_SUBTYPE_PROPOSALS: random.chance(0.8), REQUIRE_RFC_FOR_NEW_SUBTYPE: random.chance(0.5) },
        { approved: random.chance(0.2) ? [key] : [], refused: random.chance(0.2) ? [key, 'proposed:relay'] : [] },
      );
      const selection = selectPattern(
        {
          features: { endDate: number(), recurrence: number(), cumulativeMeasure: number(), changeOfState: number() },
          ...(random.chance(0.5) && { subtype: 'protocol_routine' }),
          ...(random.chance(0.3) && { variant: 'Short' }),
          ...(proposal && { proposal }),
        },
        { ...tenant, patterns: random.chance(0.2) ? [...patterns, definition] : patterns },
        'planner',
      );
      for (const pattern of [selection.pattern, selection.fallback])
        expect(patternSpecSchema.parse(pattern)).toEqual(pattern);
      const kind = selection.proposal?.kind ?? 'none';
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    expect([...kinds.keys()].toSorted()).toEqual(['approved', 'dropped', 'needs_approval', 'none', 'used']);
  });
});

describe('a proposed subtype', () => {
  it('waits for a person with its rfc, and falls back to the nearest canonical pattern', () => {
    const { pattern, fallback, proposal } = select({ proposal: subtype, subtype: 'protocol_routine' });
    expect(proposal).toEqual({ kind: 'needs_approval', pattern, rfcText: 'Steps depend on a reading.' });
    expect(pattern).toEqual({
      ...{ patternType: 'recurring_cycle', subtype: 'proposed:daily_health_protocol_v2', confidence: 1 },
      ...{ sourcePattern: 'recurring_cycle', rfc: 'Steps depend on a reading.', introducedBy: 'ai_adaptation' },
    });
    expect(fallback).toEqual({ patternType: 'recurring_cycle', confidence: 1, introducedBy: 'system' });
    expect(getProposalKey(pattern)).toBe(key);
  });

  it('is used at once and recorded if no rfc is required', () => {
    const { pattern, proposal } = select({ proposal: subtype }, buildTenant({ REQUIRE_RFC_FOR_NEW_SUBTYPE: false }));
    expect(pattern.subtype).toBe('proposed:daily_health_protocol_v2');
    if (proposal?.kind !== 'used') throw new Error('expected it to be used');
    expect(adaptationLogEntrySchema.parse(proposal.adaptation)).toMatchObject({
      ...{ artifact: 'context', by: 'planner', introducedBy: 'ai_adaptation', why: 'Steps depend on a reading.' },
      before: { patternType: 'recurring_cycle' },
      after: { subtype: 'proposed:daily_health_protocol_v2' },
    });
  });

  it.each<[string, Proposal, TenantPatterns]>([
    ['not_allowed', subtype, buildTenant({ ALLOW_NEW_SUBTYPE_PROPOSALS: false })],
    ['refused_before', subtype, buildTenant({}, { refused: [key] })],
    ['rfc_missing', { level: 'subtype', name: 'proposed:bare' }, buildTenant()],
  ])('is dropped: %s', (code, proposal, tenant) => {
    const selection = select({ proposal, subtype: 'protocol_routine' }, tenant);
    expect(selection.proposal).toMatchObject({ kind: 'dropped', code });
    expect(selection.pattern).toMatchObject({ patternType: 'recurring_cycle', subtype: 'protocol_routine' });
  });

  it('needs no second approval', () => {
    const { proposal } = select(
      { proposal: subtype },
      buildTenant({ ALLOW_NEW_SUBTYPE_PROPOSALS: false }, { approved: [key] }),
    );
    expect(proposal?.kind).toBe('approved');
  });
});

describe('a proposed top-level pattern', () => {
  it('always needs a person', () => {
    const { proposal, pattern } = select({ proposal: topLevel }, buildTenant({ REQUIRE_RFC_FOR_NEW_SUBTYPE: false }));
    expect(proposal?.kind).toBe('needs_approval');
    expect(pattern).toMatchObject({ patternType: 'proposed:relay', sourcePattern: 'milestone_project' });
  });

  it('is dropped if its grammar is inconsistent or belongs to another name', () => {
    const broken: Proposal = { ...topLevel, name: 'proposed:other', definition: { ...definition, ends: {} } };
    expect(select({ proposal: broken }).proposal).toEqual({
      ...{ kind: 'dropped', code: 'grammar_inconsistent' },
      problems: ['pattern: expected proposed:other, found proposed:relay', 'ends: nothing ends L1 once'],
    });
  });
});
