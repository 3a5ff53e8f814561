import type { Dependency } from '../../artifacts/roadmap.js';
import { buildPointer } from '../json-patch.js';
import type { Finding } from '../violation.js';
import { findDependencyCycle } from './find-dependency-cycle.js';
import type { RoadmapSubject } from './roadmap-check.js';

/** Checks that dependencies connect two unrelated nodes of the outline, once per kind, and form no cycle. */
export function checkDependencies(subject: RoadmapSubject): readonly Finding[] {
  const { roadmap, tree } = subject;
  const firstIndexes = new Map(roadmap.dependencies.map((one, index) => [getKey(one), index] as const).toReversed());
  const findings = roadmap.dependencies.map((one, index) =>
    checkDependency(subject, one, index, firstIndexes.get(getKey(one))!),
  );
  // What is wrong by itself would only make a cycle harder to understand.
  const sound = roadmap.dependencies.filter((_, index) => findings[index] === undefined);
  const cycle = findDependencyCycle(tree, sound);
  return [...findings.filter((finding) => finding !== undefined), ...(cycle ? [buildCycle(cycle)] : [])];
}

function getKey({ from, to, kind }: Dependency): string {
  return `${kind} ${from} ${to}`;
}

function checkDependency(
  subject: RoadmapSubject,
  dependency: Dependency,
  index: number,
  firstIndex: number,
): Finding | undefined {
  const { tree } = subject;
  const { from, to } = dependency;
  const nodes = [tree.find(from), tree.find(to)] as const;
  const [predecessor, successor] = nodes;
  if (!predecessor || !successor) {
    const missing = predecessor ? to : from;
    return buildFinding('dependency_unknown', dependency, index, `the outline has no node ${missing}`);
  }
  if (from === to) return buildFinding('dependency_self', dependency, index, 'a node cannot depend on itself');
  const isRelated =
    tree.listAncestors(predecessor).includes(successor) || tree.listAncestors(successor).includes(predecessor);
  if (isRelated) return buildFinding('dependency_of_relatives', dependency, index, 'one of them contains the other');
  if (firstIndex < index) return buildFinding('dependency_repeated', dependency, index, 'it occurs more than once');
  return checkPhaseOrder(subject, dependency, index);
}

/** A phase that may not overlap begins after the one before it has ended, so that nothing in that one can wait for it. */
function checkPhaseOrder(
  { roadmap, tree }: RoadmapSubject,
  dependency: Dependency,
  index: number,
): Finding | undefined {
  const [from, to] = [dependency.from, dependency.to].map((id) => {
    const phase = tree.findPhase(tree.find(id)!)?.id;
    return roadmap.phases.findIndex(({ node }) => node === phase);
  }) as [number, number];
  if (to === -1 || from <= to || dependency.lag.amount < 0) return undefined;
  if (roadmap.phases.slice(to + 1, from + 1).some(({ mayOverlap }) => mayOverlap)) return undefined;
  const text = `${dependency.from} is in the phase ${roadmap.phases[from]!.node}, which begins only after that of ${dependency.to}`;
  return { ...buildFinding('dependency_against_phases', dependency, index, text), fixes: [] };
}

function buildFinding(code: Finding['code'], { from, to, kind }: Dependency, index: number, problem: string): Finding {
  const field = `dependencies.${index}`;
  const name = `the dependency ${kind} from ${from} to ${to}`;
  return {
    ...{ code, node: to, field },
    message: `${field}: ${problem} (${name}).`,
    instruction: `Remove or change ${field}, ${name}.`,
    fixes: [
      { description: `Remove ${name}.`, operations: [{ op: 'remove', path: buildPointer('dependencies', index) }] },
    ],
  };
}

function buildCycle(cycle: readonly string[]): Finding {
  const path = [...cycle, cycle[0]!].join(' → ');
  return {
    ...{ code: 'dependency_cycle', node: cycle[0]!, field: 'dependencies' },
    message: `These nodes wait for each other: ${path}.`,
    // Which of the dependencies is wrong is content.
    instruction: `Remove one of the dependencies between ${path} from dependencies.`,
  };
}
