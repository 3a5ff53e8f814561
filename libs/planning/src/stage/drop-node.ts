import { OutlineTree } from '../grammar/outline-tree.js';
import type { PlanArtifacts } from './plan-input.js';

/** Removes a node, the containers that it leaves empty, and everything that names one of them. */
export function dropNode({ context, outline, roadmap }: PlanArtifacts, id: string): PlanArtifacts {
  const tree = new OutlineTree(outline);
  const dropped = new Set([id, ...listBelow(tree, id)]);
  const node = tree.find(id);
  for (const ancestor of node ? tree.listAncestors(node) : [])
    if (tree.listChildren(ancestor.id).every((child) => dropped.has(child.id))) dropped.add(ancestor.id);
  const isKept = (one: string | undefined) => one === undefined || !dropped.has(one);
  return {
    context: { ...context, dates: { ...context.dates, fixed: context.dates.fixed.filter((one) => isKept(one.node)) } },
    outline: { ...outline, nodes: outline.nodes.filter((one) => isKept(one.id)) },
    roadmap: {
      ...roadmap,
      phases: roadmap.phases
        .filter((phase) => isKept(phase.node))
        .map((phase) => ({
          ...phase,
          milestones: phase.milestones.filter((one) => isKept(one.node)),
          tasks: phase.tasks.filter(isKept),
        })),
      dependencies: roadmap.dependencies.filter(({ from, to }) => isKept(from) && isKept(to)),
    },
  };
}

function listBelow(tree: OutlineTree, id: string): readonly string[] {
  return tree.listChildren(id).flatMap((child) => [child.id, ...listBelow(tree, child.id)]);
}
