import type { PlanContext } from '../artifacts/plan-context.js';
import type { PlanOutline } from '../artifacts/plan-outline.js';
import type { Dependency, Roadmap, RoadmapPhase } from '../artifacts/roadmap.js';
import { WorkingCalendar } from '../calendar/working-calendar.js';
import { isTaskLevel, OutlineTree } from '../grammar/outline-tree.js';
import { analyzeNetwork, type NetworkAnalysis } from '../network/analyze-network.js';
import { flattenProblem } from '../schedule/flat-problem.js';
import { buildScheduleProblem } from './build-schedule-problem.js';

/** Options and hashes of a roadmap that exists only to be analysed. */
const PROVISIONAL = { outlineHash: '0'.repeat(64), optionsTried: [], choice: { option: 'a', reason: 'provisional' } };

/**
 * Analyses the dependencies of an outline before there is a roadmap: its phases may overlap, so that only the dependencies order them. Capacity is
 * left out.
 */
export function analyzePlanNetwork(plan: {
  readonly context: PlanContext;
  readonly outline: PlanOutline;
  readonly dependencies: readonly Dependency[];
}): NetworkAnalysis {
  const { context, outline, dependencies } = plan;
  const roadmap: Roadmap = {
    ...{ ...PROVISIONAL, optionsTried: [] },
    pattern: outline.pattern,
    phases: listPhases(outline),
    dependencies: [...dependencies],
  };
  const problem = buildScheduleProblem({ context, outline, roadmap });
  const { tasks, links } = flattenProblem(problem);
  return analyzeNetwork({ calendar: new WorkingCalendar(problem.calendar), start: problem.window.start, tasks, links });
}

function listPhases(outline: PlanOutline): RoadmapPhase[] {
  const tree = new OutlineTree(outline);
  const inside = (id: string) => outline.nodes.filter((node) => tree.findPhase(node)?.id === id);
  return outline.nodes
    .filter(({ level }) => level === 'L1')
    .map(({ id }) => ({
      node: id,
      mayOverlap: true,
      milestones: inside(id).flatMap((node) => (node.level === 'L2' ? [{ node: node.id }] : [])),
      tasks: inside(id)
        .filter(isTaskLevel)
        .map((node) => node.id),
    }));
}
