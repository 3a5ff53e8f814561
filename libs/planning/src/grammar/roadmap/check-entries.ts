import type { JsonValue } from '@phaseline/basics';
import type { OutlineNode } from '../../artifacts/plan-outline.js';
import type { Roadmap } from '../../artifacts/roadmap.js';
import { buildPointer } from '../json-patch.js';
import { describeNode, isTaskLevel, type OutlineTree } from '../outline-tree.js';
import type { Finding, FixCandidate } from '../violation.js';
import type { RoadmapSubject } from './roadmap-check.js';

type EntryRole = 'phase' | 'milestone' | 'task';

interface Entry {
  readonly id: string;
  readonly role: EntryRole;
  /** Index of the phase that the entry is, or is in. */
  readonly phase: number;
  readonly path: string;
}

/** Checks that each node of the outline is in the roadmap once, in the right list of the right phase. */
export function checkEntries({ roadmap, tree }: RoadmapSubject): readonly Finding[] {
  const byId = Map.groupBy(listEntries(roadmap), ({ id }) => id);
  return [
    ...[...byId].flatMap(([id, entries]) => {
      const node = tree.find(id);
      return node ? checkNode(roadmap, tree, node, entries) : entries.map(buildUnknown);
    }),
    ...tree.nodes.filter(({ id }) => !byId.has(id)).map((node) => buildUncovered(roadmap, tree, node)),
  ];
}

function listEntries({ phases }: Roadmap): readonly Entry[] {
  return phases.flatMap(({ node, milestones, tasks }, phase): Entry[] => [
    { id: node, role: 'phase', phase, path: buildPointer('phases', phase) },
    ...milestones.map((milestone, index): Entry => {
      return { id: milestone.node, role: 'milestone', phase, path: buildPointer('phases', phase, 'milestones', index) };
    }),
    ...tasks.map((id, index): Entry => {
      return { id, role: 'task', phase, path: buildPointer('phases', phase, 'tasks', index) };
    }),
  ]);
}

function getRole(node: OutlineNode): EntryRole {
  return node.level === 'L1' ? 'phase' : isTaskLevel(node) ? 'task' : 'milestone';
}

function toField(path: string): string {
  return path.slice(1).replaceAll('/', '.');
}

function buildRemoval({ id, path }: Entry): FixCandidate {
  return { description: `Remove ${id} from ${toField(path)}.`, operations: [{ op: 'remove', path }] };
}

function buildUnknown(entry: Entry): Finding {
  const field = toField(entry.path);
  return {
    ...{ code: 'entry_unknown', node: entry.id, field },
    message: `${field}: the outline has no node ${entry.id}.`,
    instruction: `Remove ${entry.id} from ${field}, or write the id of a node of the outline.`,
    fixes: [buildRemoval(entry)],
  };
}

/** Of several entries of a node, the one that is where it belongs counts, otherwise the first. */
function checkNode(
  roadmap: Roadmap,
  tree: OutlineTree,
  node: OutlineNode,
  entries: readonly Entry[],
): readonly Finding[] {
  const isRight = ({ role, phase }: Entry): boolean =>
    role === getRole(node) && roadmap.phases[phase]!.node === tree.findPhase(node)?.id;
  const main = entries.find(isRight) ?? entries[0]!;
  const repeated = entries
    .filter((entry) => entry !== main)
    .map((entry): Finding => {
      const field = toField(entry.path);
      return {
        ...{ code: 'node_repeated', node: node.id, field },
        message: `${describeNode(node)} is also in ${toField(main.path)}.`,
        instruction: `Remove ${node.id} from ${field}; keep it in ${toField(main.path)}.`,
        fixes: [buildRemoval(entry)],
      };
    });
  return [...repeated, ...(isRight(main) ? [] : checkPlace(roadmap, tree, node, main))];
}

function checkPlace(roadmap: Roadmap, tree: OutlineTree, node: OutlineNode, entry: Entry): readonly Finding[] {
  const role = getRole(node);
  const field = toField(entry.path);
  const fixes = entry.role === 'phase' ? [] : buildMove(roadmap, tree, node, entry);
  if (entry.role !== role)
    return [
      {
        ...{ code: 'entry_level_wrong', node: node.id, field },
        message: `${describeNode(node)} is listed as a ${entry.role}.`,
        instruction: `Move ${node.id} from ${field} to the ${role}s.`,
        fixes,
      },
    ];
  // If the phase is unknown, that is the violation.
  if (tree.find(roadmap.phases[entry.phase]!.node) === undefined) return [];
  const phase = tree.findPhase(node)?.id;
  return [
    {
      ...{ code: role === 'task' ? 'task_out_of_phase' : 'milestone_out_of_phase', node: node.id, field },
      message: `${describeNode(node)} is in the phase ${roadmap.phases[entry.phase]!.node}, but belongs to ${phase}.`,
      instruction: `Move ${node.id} from ${field} to the phase ${phase}.`,
      fixes,
    },
  ];
}

function buildMove(roadmap: Roadmap, tree: OutlineTree, node: OutlineNode, entry: Entry): readonly FixCandidate[] {
  const addition = buildAddition(roadmap, tree, node);
  return addition
    ? [{ description: addition.description, operations: [{ op: 'remove', path: entry.path }, ...addition.operations] }]
    : [];
}

function buildUncovered(roadmap: Roadmap, tree: OutlineTree, node: OutlineNode): Finding {
  const role = getRole(node);
  const phase = tree.findPhase(node)?.id;
  const addition = buildAddition(roadmap, tree, node);
  return {
    ...{ code: 'node_uncovered', node: node.id, field: 'phases' },
    message: `${describeNode(node)} is not in the roadmap.`,
    instruction: `Add ${node.id} to phases${role === 'phase' ? '' : `, to the ${role}s of ${phase}`}.`,
    fixes: addition ? [addition] : [],
  };
}

/** Adds a node at the end of the list in which it belongs; `undefined` if its phase is missing. */
function buildAddition({ phases }: Roadmap, tree: OutlineTree, node: OutlineNode): FixCandidate | undefined {
  const role = getRole(node);
  const index = phases.findIndex((phase) => phase.node === tree.findPhase(node)?.id);
  const description = `Add ${node.id} to the ${role}s.`;
  const build = (path: string, value: JsonValue): FixCandidate => {
    return { description, operations: [{ op: 'add', path, value }] };
  };
  if (role === 'phase') return build('/phases/-', { node: node.id, mayOverlap: false, milestones: [], tasks: [] });
  if (index === -1) return undefined;
  if (role === 'milestone') return build(buildPointer('phases', index, 'milestones', '-'), { node: node.id });
  return build(buildPointer('phases', index, 'tasks', '-'), node.id);
}
