import { roadmapSchema, type Roadmap } from '../../artifacts/roadmap.js';
import type { PatternGrammar } from '../../patterns/pattern-definition.js';
import { buildPointer } from '../json-patch.js';
import { OutlineTree } from '../outline-tree.js';
import { checkParentHash, checkPattern } from '../shared-rules.js';
import { validateArtifact, type ValidationReport } from '../validate-artifact.js';
import type { Finding } from '../violation.js';
import { checkDependencies } from './check-dependencies.js';
import { checkEntries } from './check-entries.js';
import { checkOptions } from './check-options.js';
import type { RoadmapCheck } from './roadmap-check.js';

/** Validates a roadmap against its outline. `value` is any JSON; what does not parse is a violation as well; `maxFixes` limits the proven fixes. */
export function validateRoadmap(value: unknown, check: RoadmapCheck, maxFixes?: number): ValidationReport<Roadmap> {
  const tree = new OutlineTree(check.outline);
  return validateArtifact<Roadmap>(
    value,
    {
      artifact: 'roadmap',
      schema: roadmapSchema,
      findViolations: (roadmap) => [
        ...checkParentHash('outlineHash', roadmap.outlineHash, check.outlineHash),
        ...checkPattern(roadmap.pattern, check.selectedPattern, check.grammar),
        ...checkEntries({ roadmap, tree }),
        ...checkOverlaps(roadmap, check.grammar),
        ...checkDependencies({ roadmap, tree }),
        ...checkOptions({ roadmap, tree }),
      ],
      listTasks: ({ phases }) =>
        phases
          .flatMap(({ node, milestones, tasks }) => [node, ...milestones.map((one) => one.node), ...tasks])
          .filter(
            // What the outline does not contain is no task of the plan.
            (id) => tree.find(id) !== undefined,
          ),
    },
    maxFixes,
  );
}

function checkOverlaps({ phases }: Roadmap, grammar: PatternGrammar | undefined): readonly Finding[] {
  if (grammar === undefined || grammar.level1.mayOverlap) return [];
  return phases.flatMap(({ node, mayOverlap }, index): Finding[] => {
    if (!mayOverlap) return [];
    return [
      {
        ...{ code: 'phase_overlap_forbidden', node, field: `phases.${index}.mayOverlap` },
        message: `The phase ${node} may overlap, but phases of this pattern follow one another.`,
        instruction: `Set mayOverlap of the phase ${node} to false.`,
        fixes: [
          {
            description: `Let the phase ${node} begin after the one before it.`,
            operations: [{ op: 'replace', path: buildPointer('phases', index, 'mayOverlap'), value: false }],
          },
        ],
      },
    ];
  });
}
