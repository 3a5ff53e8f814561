import { canonicalPatterns, type PatternSpec } from '../artifacts/pattern-spec.js';
import { featureNames, type FeatureName, type PatternDefinition } from './pattern-definition.js';

/** Features of a goal, 0 (absent) to 1 (certain), as the model states them. */
export type GoalFeatures = Readonly<Record<FeatureName, number>>;

interface RankedPattern {
  readonly pattern: PatternSpec['patternType'];
  /** How well the features fit: 1 minus the weighted mean difference from what the pattern expects. */
  readonly score: number;
}

export interface PatternRanking {
  /** All patterns, best first. */
  readonly patterns: readonly RankedPattern[];
  readonly nearest: RankedPattern;
  /** Difference between the best score and the second-best; 1 if there is only one pattern. */
  readonly distance: number;
}

/** Digits to which scores are rounded, so that equal fits are equal numbers. */
const SCORE_DIGITS = 6;

/**
 * Ranks patterns by how well the features of a goal fit them. Deterministic: patterns with equal scores keep the canonical order, those of
 * a tenant follow by name. `patterns` must not be empty.
 */
export function rankPatterns(features: GoalFeatures, patterns: readonly PatternDefinition[]): PatternRanking {
  const ranked = patterns
    .map((definition) => ({ pattern: definition.pattern, score: scorePattern(features, definition) }))
    .toSorted((one, other) => other.score - one.score || comparePatternNames(one.pattern, other.pattern));
  const [nearest, second] = ranked;
  if (nearest === undefined) throw new Error('Load at least one pattern before ranking.');
  return { patterns: ranked, nearest, distance: second ? round(nearest.score - second.score) : 1 };
}

function scorePattern(features: GoalFeatures, definition: PatternDefinition): number {
  const parts = featureNames.map((name) => ({ value: features[name], ...definition.features[name] }));
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const difference = parts.reduce((sum, { value, expected, weight }) => sum + weight * Math.abs(value - expected), 0);
  return total === 0 ? 0 : round(1 - difference / total);
}

function comparePatternNames(one: string, other: string): number {
  const order = (name: string): number => {
    const index = (canonicalPatterns as readonly string[]).indexOf(name);
    return index === -1 ? canonicalPatterns.length : index;
  };
  return order(one) - order(other) || (one < other ? -1 : 1);
}

function round(score: number): number {
  return Number(score.toFixed(SCORE_DIGITS));
}
