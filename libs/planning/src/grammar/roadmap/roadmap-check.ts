import type { PlanOutline } from '../../artifacts/plan-outline.js';
import type { PatternSpec } from '../../artifacts/pattern-spec.js';
import type { Roadmap } from '../../artifacts/roadmap.js';
import type { PatternGrammar } from '../../patterns/pattern-definition.js';
import type { OutlineTree } from '../outline-tree.js';

/** What a roadmap is checked against. The outline is valid. */
export interface RoadmapCheck {
  readonly outline: PlanOutline;
  readonly outlineHash: string;
  readonly selectedPattern: PatternSpec;
  /** Grammar of the selected pattern; `undefined` if the pattern is unknown, which is a violation. */
  readonly grammar: PatternGrammar | undefined;
}

/** A roadmap with what its rules need. */
export interface RoadmapSubject {
  readonly roadmap: Roadmap;
  readonly tree: OutlineTree;
}
