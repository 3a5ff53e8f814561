import { toCanonicalJson } from '@phaseline/basics';
import type { PatternSpec } from '../artifacts/pattern-spec.js';

/** A mirror of the selected pattern that differs from it. */
export interface MirrorDifference {
  readonly mirror: 'context' | 'outline' | 'roadmap';
  /** Field of the PatternSpec, or `pattern` if the mirror has none. */
  readonly field: string;
}

const fields = ['patternType', 'subtype', 'variant', 'introducedBy', 'sourcePattern', 'rfc', 'confidence'] as const;

/**
 * Lists where the mirrors of the selected pattern differ from it. Artifacts that do not exist yet are left out; an artifact without a
 * pattern differs.
 */
export function findMirrorDifferences(
  selectedPattern: PatternSpec,
  mirrors: Partial<Readonly<Record<MirrorDifference['mirror'], { readonly pattern?: PatternSpec | undefined }>>>,
): readonly MirrorDifference[] {
  return (['context', 'outline', 'roadmap'] as const).flatMap((mirror) => {
    const artifact = mirrors[mirror];
    if (artifact === undefined) return [];
    if (artifact.pattern === undefined) return [{ mirror, field: 'pattern' }];
    return listPatternDifferences(selectedPattern, artifact.pattern).map((field) => ({ mirror, field }));
  });
}

/** Lists the fields in which two patterns differ. */
export function listPatternDifferences(one: PatternSpec, other: PatternSpec): readonly string[] {
  return fields.filter((field) => toCanonicalJson(one[field]) !== toCanonicalJson(other[field]));
}
