import type { PatternSpec } from '../../artifacts/pattern-spec.js';
import type { PlanContext } from '../../artifacts/plan-context.js';
import type { PlanOutline } from '../../artifacts/plan-outline.js';
import type { PatternGrammar } from '../../patterns/pattern-definition.js';
import type { OutlineTree } from '../outline-tree.js';

/** What an outline is checked against. */
export interface OutlineCheck {
  readonly context: PlanContext;
  readonly contextHash: string;
  readonly selectedPattern: PatternSpec;
  /** Grammar of the selected pattern; `undefined` if the pattern is unknown, which is a violation. */
  readonly grammar: PatternGrammar | undefined;
}

/** An outline with what its rules need. */
export interface OutlineSubject {
  readonly outline: PlanOutline;
  readonly tree: OutlineTree;
  readonly context: PlanContext;
  readonly grammar: PatternGrammar;
}
