import { isProposedName, type PatternName } from '../artifacts/pattern-spec.js';
import type { PatternDefinition, PatternGrammar, SubtypeDefinition } from './pattern-definition.js';

/** Returns the grammar of a subtype: that of its pattern, with the parts that the subtype replaces. */
export function mergeSubtype(pattern: PatternGrammar, subtype: Partial<SubtypeDefinition>): PatternGrammar {
  return {
    contains: subtype.contains ?? pattern.contains,
    level1: subtype.level1 ?? pattern.level1,
    needs: subtype.needs ?? pattern.needs,
    ends: subtype.ends ?? pattern.ends,
  };
}

/**
 * Returns the grammar by which artifacts with a pattern are checked. A proposed subtype has the grammar of its pattern: a proposal names a
 * variation, and only an author adds rules. Returns `undefined` if the pattern or the subtype is unknown.
 */
export function findGrammar(
  { patternType, subtype }: PatternName,
  patterns: readonly PatternDefinition[],
): PatternGrammar | undefined {
  const definition = patterns.find(({ pattern }) => pattern === patternType);
  if (definition === undefined || subtype === undefined) return definition && mergeSubtype(definition, {});
  const known = findSubtype(definition, subtype);
  if (known !== undefined) return mergeSubtype(definition, known);
  return isProposedName(subtype) ? mergeSubtype(definition, {}) : undefined;
}

/** Returns the subtype of a pattern with a name. */
export function findSubtype({ subtypes }: PatternDefinition, name: string): SubtypeDefinition | undefined {
  return subtypes.find((subtype) => subtype.name === name);
}
