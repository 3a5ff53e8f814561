import type { SeededRandom } from '@phaseline/testing';
import type { Dependency, Roadmap, RoadmapPhase } from '../artifacts/roadmap.js';
import { OutlineTree } from './outline-tree.js';
import type { Fault } from './outline-faults.fixture.js';
import type { ValidPlan } from './valid-plan.fixture.js';
import type { ViolationCode } from './violation-kinds.js';

type RoadmapFault = Fault<Roadmap>;

const link = (from: string, to: string): Dependency => ({
  ...{ from, to, kind: 'FS' },
  lag: { amount: 0, unit: 'minutes', time: 'elapsed' },
});
const connect = (roadmap: Roadmap, ...dependencies: readonly Dependency[]): Roadmap => ({
  ...roadmap,
  dependencies: [...roadmap.dependencies, ...dependencies],
});
const changePhase = (roadmap: Roadmap, index: number, change: Partial<RoadmapPhase>): Roadmap => ({
  ...roadmap,
  phases: roadmap.phases.with(index, { ...roadmap.phases[index]!, ...change }),
});
const pickIndex = ({ phases }: Roadmap, random: SeededRandom): number => random.between(0, phases.length - 1);
const listLeaves = (plan: ValidPlan): ReadonlySet<string> =>
  new Set(new OutlineTree(plan.outline).listTasks().map(({ id }) => id));

/** Moves an entry from the list of one phase to that of the next. */
const moveEntry =
  (list: 'milestones' | 'tasks'): RoadmapFault =>
  ({ roadmap }) => {
    const from = roadmap.phases.findIndex((phase) => phase[list].length > 0);
    if (from === -1 || roadmap.phases.length < 2) return undefined;
    const to = (from + 1) % roadmap.phases.length;
    const [entry, ...rest] = roadmap.phases[from]![list];
    const without = changePhase(roadmap, from, { [list]: rest });
    return changePhase(without, to, { [list]: [...roadmap.phases[to]![list], entry] });
  };

/** One fault per kind of violation of roadmaps. */
export const roadmapFaults: Partial<Readonly<Record<ViolationCode, RoadmapFault>>> = {
  parent_hash_differs: ({ roadmap }) => ({ ...roadmap, outlineHash: 'f'.repeat(64) }),
  pattern_mirror_differs: ({ roadmap }) => ({ ...roadmap, pattern: { ...roadmap.pattern, confidence: 0.1 } }),
  node_uncovered: ({ roadmap }, random) => {
    const index = pickIndex(roadmap, random);
    return changePhase(roadmap, index, { tasks: roadmap.phases[index]!.tasks.slice(1) });
  },
  node_repeated: ({ roadmap }, random) => {
    const index = pickIndex(roadmap, random);
    const task = random.pick(random.pick(roadmap.phases).tasks);
    return changePhase(roadmap, index, { tasks: [...roadmap.phases[index]!.tasks, task] });
  },
  entry_unknown: ({ roadmap }, random) => {
    const index = pickIndex(roadmap, random);
    return changePhase(roadmap, index, { milestones: [...roadmap.phases[index]!.milestones, { node: 'nowhere' }] });
  },
  entry_level_wrong: ({ roadmap }, random) => {
    const index = pickIndex(roadmap, random);
    const { milestones, tasks } = roadmap.phases[index]!;
    const [task, ...rest] = tasks;
    return changePhase(roadmap, index, { milestones: [...milestones, { node: task! }], tasks: rest });
  },
  milestone_out_of_phase: moveEntry('milestones'),
  task_out_of_phase: moveEntry('tasks'),
  phase_overlap_forbidden: ({ roadmap, grammar }, random) =>
    grammar.level1.mayOverlap ? undefined : changePhase(roadmap, pickIndex(roadmap, random), { mayOverlap: true }),
  dependency_unknown: ({ roadmap }, random) => connect(roadmap, link(random.pick(roadmap.phases).tasks[0]!, 'nowhere')),
  dependency_self: ({ roadmap }, random) => {
    const task = random.pick(roadmap.phases).tasks[0]!;
    return connect(roadmap, link(task, task));
  },
  dependency_of_relatives: ({ roadmap }, random) => {
    const { node, tasks } = random.pick(roadmap.phases);
    return connect(roadmap, random.chance(0.5) ? link(node, tasks[0]!) : link(tasks[0]!, node));
  },
  dependency_repeated: ({ roadmap }, random) =>
    roadmap.dependencies.length === 0 ? undefined : connect(roadmap, random.pick(roadmap.dependencies)),
  dependency_cycle: (plan, random) => {
    const leaves = listLeaves(plan);
    const tasks = random.pick(plan.roadmap.phases).tasks.filter((id) => leaves.has(id));
    if (tasks.length < 3) return undefined;
    const [first, second, third] = tasks as [string, string, string];
    return connect({ ...plan.roadmap, dependencies: [] }, link(first, second), link(second, third), link(third, first));
  },
  dependency_against_phases: ({ roadmap }) => {
    const later = roadmap.phases.findIndex(({ mayOverlap }, index) => index > 0 && !mayOverlap);
    if (later === -1) return undefined;
    const [from, to] = [roadmap.phases[later]!.tasks[0]!, roadmap.phases[later - 1]!.tasks[0]!];
    return connect({ ...roadmap, dependencies: [] }, link(from, to));
  },
  options_too_few: ({ roadmap }) => ({ ...roadmap, optionsTried: roadmap.optionsTried.slice(0, 1) }),
  option_repeated: ({ roadmap }) => ({ ...roadmap, optionsTried: [...roadmap.optionsTried, roadmap.optionsTried[1]!] }),
  choice_unknown: ({ roadmap }) => ({ ...roadmap, choice: { ...roadmap.choice, option: 'c' } }),
};
