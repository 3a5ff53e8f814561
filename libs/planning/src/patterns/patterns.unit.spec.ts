import { describe, expect, it } from 'vitest';
import { canonicalPatterns } from '../artifacts/pattern-spec.js';
import { findGrammar } from './find-grammar.js';
import { findMirrorDifferences } from './find-mirror-differences.js';
import { findPatternProblems } from './find-pattern-problems.js';
import type { PatternDefinition } from './pattern-definition.js';
import { rankPatterns, type GoalFeatures } from './rank-patterns.js';
import { readShippedPatterns } from './shipped-patterns.fixture.js';

const patterns = readShippedPatterns();
const project = patterns.find(({ pattern }) => pattern === 'milestone_project')!;
const features = (
  endDate: number,
  recurrence: number,
  cumulativeMeasure: number,
  changeOfState: number,
): GoalFeatures => ({
  ...{ endDate, recurrence, cumulativeMeasure, changeOfState },
});

describe('the shipped patterns', () => {
  it('are the canonical ones, consistent, with the subtype protocol_routine', () => {
    expect(patterns.map(({ pattern }) => pattern).toSorted()).toEqual([...canonicalPatterns].toSorted());
    expect(patterns.flatMap(findPatternProblems)).toEqual([]);
    expect(patterns.flatMap(({ pattern, subtypes }) => subtypes.map(({ name }) => `${pattern}/${name}`))).toEqual([
      'recurring_cycle/protocol_routine',
    ]);
  });

  it('give a proposed subtype the grammar of its pattern, and none to an unknown one', () => {
    const { contains } = findGrammar({ patternType: 'recurring_cycle', subtype: 'proposed:x' }, patterns)!;
    expect(contains).toEqual(findGrammar({ patternType: 'recurring_cycle' }, patterns)!.contains);
    expect(
      findGrammar({ patternType: 'recurring_cycle', subtype: 'protocol_routine' }, patterns)!.contains,
    ).not.toEqual(contains);
    expect(findGrammar({ patternType: 'recurring_cycle', subtype: 'other' }, patterns)).toBeUndefined();
    expect(findGrammar({ patternType: 'proposed:x' }, patterns)).toBeUndefined();
  });
});

describe('the consistency check', () => {
  it.each<[string, Partial<PatternDefinition>, string]>([
    ['no root', { contains: {} }, 'contains.plan: expected at least one kind'],
    ['a root that is no L1', { contains: { ...project.contains, plan: ['L2 once'] } }, 'L2 once is not of level L1'],
    [
      'a node in a node of its level',
      { contains: { ...project.contains, 'L2 once': ['L2 once'] } },
      'not of a deeper level',
    ],
    [
      'an unreachable kind',
      { contains: { ...project.contains, 'L2 recurring': ['L3 once'] } },
      'contains.L2 recurring: no plan',
    ],
    ['a phase without tasks', { contains: { plan: ['L1 once'] } }, 'contains.L1 once: missing'],
    ['an empty range', { level1: { min: 3, max: 2, mayOverlap: true } }, 'level1: min is greater than max'],
    ['a need that cannot be', { needs: ['L3 recurring'] }, 'needs: no plan can contain L3 recurring'],
    ['no end', { ends: {} }, 'ends: nothing ends L1 once'],
    ['a measure of what does not add up', { ends: { target: ['L1 once'] } }, 'ends.target: L1 once has no measure'],
    ['a rule of what does not recur', { ends: { recurrence: ['L1 once'] } }, 'ends.recurrence: L1 once does not recur'],
    ['a proposal without source', { pattern: 'proposed:x' }, 'sourcePattern'],
    [
      'a broken subtype',
      { subtypes: [{ name: 'odd', description: 'Odd', needs: ['L4 recurring'] }] },
      'subtype odd: needs: no plan can contain L4 recurring',
    ],
  ])('finds %s', (_name, change, problem) => {
    expect(findPatternProblems({ ...project, ...change }).join('\n')).toContain(problem);
  });
});

describe('the nearest pattern', () => {
  it.each<[GoalFeatures, string]>([
    [features(1, 0, 0, 0), 'milestone_project'],
    [features(0, 0, 0, 0), 'milestone_project'],
    [features(0, 1, 0, 0), 'recurring_cycle'],
    [features(1, 1, 0, 0), 'hybrid_project_cycle'],
    [features(0, 0, 1, 0), 'progressive_accumulation_arc'],
    [features(1, 1, 1, 0), 'progressive_accumulation_arc'],
    [features(0, 1, 1, 0), 'progressive_accumulation_arc'],
    [features(0, 0, 0, 1), 'strategic_transformation'],
    [features(1, 1, 0, 1), 'strategic_transformation'],
    [features(1, 0, 1, 1), 'strategic_transformation'],
  ])('of %o is %s', (goal, pattern) => {
    const ranking = rankPatterns(goal, patterns);
    expect(ranking.nearest.pattern).toBe(pattern);
    expect(rankPatterns(goal, patterns.toReversed())).toEqual(ranking);
    expect(ranking.patterns).toHaveLength(5);
    expect(ranking.distance).toBeCloseTo(ranking.nearest.score - ranking.patterns[1]!.score);
  });

  it('has the confidence 1 where everything fits, and less and a shorter distance where features are unclear', () => {
    const clear = rankPatterns(features(1, 0, 0, 0), patterns);
    const unclear = rankPatterns(features(1, 0.5, 0, 0), patterns);
    expect(clear.nearest.score).toBe(1);
    expect(unclear.nearest.score).toBeLessThan(1);
    expect(unclear.distance).toBeLessThan(clear.distance);
  });
});

describe('mirrors of the selected pattern', () => {
  const selected = { patternType: 'milestone_project', introducedBy: 'system', confidence: 0.9 } as const;

  it('are equal in context, outline and roadmap, or listed by field', () => {
    const mirrors = { context: { pattern: selected }, outline: { pattern: { ...selected } } };
    expect(findMirrorDifferences(selected, mirrors)).toEqual([]);
    const roadmap = { pattern: { ...selected, patternType: 'recurring_cycle', variant: 'Short' } };
    expect(findMirrorDifferences(selected, { ...mirrors, context: {}, roadmap })).toEqual([
      { mirror: 'context', field: 'pattern' },
      { mirror: 'roadmap', field: 'patternType' },
      { mirror: 'roadmap', field: 'variant' },
    ]);
  });
});
