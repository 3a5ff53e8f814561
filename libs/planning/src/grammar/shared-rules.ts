import { toPatternJson, type PatternSpec } from '../artifacts/pattern-spec.js';
import { listPatternDifferences } from '../patterns/find-mirror-differences.js';
import type { PatternGrammar } from '../patterns/pattern-definition.js';
import type { Finding } from './violation.js';

/** Checks that an artifact names the hash of the artifact that it was made from. */
export function checkParentHash(field: string, found: string, expected: string): readonly Finding[] {
  if (found === expected) return [];
  return [
    {
      ...{ code: 'parent_hash_differs', node: null, field },
      message: `${field} is ${found}, but the artifact before it has the hash ${expected}.`,
      // Writing the other hash would only hide that the content was made from something else.
      instruction: `Make the artifact again from the one with the hash ${expected}, and set ${field} to it.`,
    },
  ];
}

/** Checks that the mirror of the pattern equals the selected one, and that the selected one is known. */
export function checkPattern(
  mirror: PatternSpec,
  selected: PatternSpec,
  grammar: PatternGrammar | undefined,
): readonly Finding[] {
  const differences = listPatternDifferences(selected, mirror);
  const name = [selected.patternType, selected.subtype].filter((part) => part !== undefined).join('/');
  return [
    ...(grammar === undefined ? [buildUnknownPattern(name)] : []),
    ...(differences.length === 0 ? [] : [buildMirrorFinding(differences, selected)]),
  ];
}

function buildUnknownPattern(name: string): Finding {
  return {
    ...{ code: 'pattern_unknown', node: null, field: 'pattern' },
    message: `The pattern ${name} is neither canonical nor approved.`,
    instruction: `Ask the person whether ${name} is approved, or select a canonical pattern as pattern.`,
  };
}

function buildMirrorFinding(differences: readonly string[], selected: PatternSpec): Finding {
  const fields = differences.map((field) => `pattern.${field}`).join(', ');
  return {
    ...{ code: 'pattern_mirror_differs', node: null, field: 'pattern' },
    message: `${fields}: different from the selected pattern.`,
    instruction: `Set pattern to the selected pattern; ${fields} must be equal.`,
    fixes: [
      {
        description: 'Set the pattern to the selected one.',
        operations: [{ op: 'replace', path: '/pattern', value: toPatternJson(selected) }],
      },
    ],
  };
}
