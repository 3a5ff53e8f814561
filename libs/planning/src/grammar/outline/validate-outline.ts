import { planOutlineSchema, type PlanOutline } from '../../artifacts/plan-outline.js';
import { OutlineTree } from '../outline-tree.js';
import { checkParentHash, checkPattern } from '../shared-rules.js';
import { validateArtifact, type ValidationReport } from '../validate-artifact.js';
import type { ViolationCode } from '../violation-kinds.js';
import type { Finding } from '../violation.js';
import { checkContent } from './check-content.js';
import { checkKinds } from './check-kinds.js';
import { checkMeasures } from './check-measures.js';
import { checkParts } from './check-parts.js';
import { checkRecurrences } from './check-recurrences.js';
import { checkTree } from './check-tree.js';
import type { OutlineCheck } from './outline-check.js';

/** Violations after which a node has no place or no kind, on which other rules depend. */
const MISPLACING: ReadonlySet<ViolationCode> = new Set([
  'node_unreachable',
  'containment_wrong',
  'pattern_kind_unknown',
]);

/** Validates an outline against the grammar of the selected pattern. `value` is any JSON; what does not parse is a violation as well; `maxFixes` limits the proven fixes. */
export function validateOutline(value: unknown, check: OutlineCheck, maxFixes?: number): ValidationReport<PlanOutline> {
  return validateArtifact<PlanOutline>(
    value,
    {
      artifact: 'outline',
      schema: planOutlineSchema,
      findViolations: (outline) => findOutlineViolations(outline, check),
      listTasks: (outline) => new OutlineTree(outline).listTasks().map(({ id }) => id),
    },
    maxFixes,
  );
}

function findOutlineViolations(outline: PlanOutline, check: OutlineCheck): readonly Finding[] {
  const { context, contextHash, selectedPattern, grammar } = check;
  const findings = [
    ...checkParentHash('contextHash', outline.contextHash, contextHash),
    ...checkPattern(outline.pattern, selectedPattern, grammar),
  ];
  // Without a grammar there is nothing that the nodes could be checked against.
  if (grammar === undefined) return findings;
  const subject = { outline, context, grammar, tree: new OutlineTree(outline) };
  const places = [...checkTree(subject), ...checkKinds(subject)];
  const misplaced = new Set(places.flatMap(({ code, node }) => (MISPLACING.has(code) && node ? [node] : [])));
  return [
    ...findings,
    ...places,
    ...checkParts(subject),
    ...checkContent(subject),
    ...checkRecurrences(subject, misplaced),
    ...checkMeasures(subject, misplaced),
  ];
}
