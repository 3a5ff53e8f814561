import type { Schedule, ScheduledTask } from '../artifacts/schedule.js';
import { OutlineTree } from './outline-tree.js';
import type { Fault } from './outline-faults.fixture.js';
import type { ValidPlan } from './valid-plan.fixture.js';
import type { ViolationCode } from './violation-kinds.js';

type ScheduleFault = Fault<Schedule>;

const MS_PER_DAY = 86_400_000;
const shift = (instant: string, ms: number): string => new Date(Date.parse(instant) + ms).toISOString();
const timeOf = (placement: ScheduledTask, plan: ValidPlan) => new OutlineTree(plan.outline).find(placement.task)?.time;

/** Changes a placement that fulfils a condition. */
const changePlacement =
  (
    canChange: (placement: ScheduledTask, plan: ValidPlan) => boolean,
    change: (placement: ScheduledTask) => Partial<ScheduledTask>,
  ): ScheduleFault =>
  (plan, random) => {
    const { schedule } = plan;
    const placements = schedule.tasks.filter((placement) => canChange(placement, plan));
    if (placements.length === 0) return undefined;
    const placement = random.pick(placements);
    const changed = Object.fromEntries(
      Object.entries({ ...placement, ...change(placement) }).filter(([, value]) => value !== undefined),
    ) as ScheduledTask;
    return { ...schedule, tasks: schedule.tasks.map((one) => (one === placement ? changed : one)) };
  };

/** Places everything of a phase, or a task, before all others. */
function moveToFront({ schedule }: ValidPlan, isMoved: (placement: ScheduledTask) => boolean): Schedule {
  const move = (placement: ScheduledTask): ScheduledTask => ({
    ...placement,
    ...{ start: shift(placement.start, -400 * MS_PER_DAY), end: shift(placement.end, -400 * MS_PER_DAY) },
  });
  return { ...schedule, tasks: schedule.tasks.map((one) => (isMoved(one) ? move(one) : one)) };
}

/** One fault per kind of violation of schedules. */
export const scheduleFaults: Partial<Readonly<Record<ViolationCode, ScheduleFault>>> = {
  parent_hash_differs: ({ schedule }) => ({ ...schedule, roadmapHash: 'f'.repeat(64) }),
  task_unplaced: ({ schedule }, random) => {
    const index = random.between(0, schedule.tasks.length - 1);
    return { ...schedule, tasks: schedule.tasks.toSpliced(index, 1) };
  },
  task_repeated: ({ schedule }, random) => ({ ...schedule, tasks: [...schedule.tasks, random.pick(schedule.tasks)] }),
  task_unknown: ({ schedule, roadmap }, random) => {
    const task = random.chance(0.5) ? 'nowhere' : roadmap.phases[0]!.node;
    const { recurrence: _, ...placement } = schedule.tasks[0]!;
    return { ...schedule, tasks: [...schedule.tasks, { ...placement, task }] };
  },
  end_before_start: changePlacement(
    () => true,
    ({ start, end }) => ({ start: end, end: start }),
  ),
  placement_too_short: changePlacement(
    // The end of a task without dependencies can move.
    ({ task }, { roadmap }) => roadmap.dependencies.every((one) => one.to !== task),
    ({ start }) => ({ end: shift(start, 60_000) }),
  ),
  zone_unknown: changePlacement(
    () => true,
    () => ({ zone: '+02:00' }),
  ),
  recurrence_missing: changePlacement(
    (placement, plan) => timeOf(placement, plan) === 'recurring',
    () => ({ recurrence: undefined }),
  ),
  recurrence_malformed: changePlacement(
    (placement, plan) => timeOf(placement, plan) === 'recurring',
    () => ({ recurrence: 'FREQ=NEVER' }),
  ),
  recurrence_endless: changePlacement(
    (placement, plan) => timeOf(placement, plan) === 'recurring',
    () => ({ recurrence: 'FREQ=DAILY' }),
  ),
  recurrence_misplaced: changePlacement(
    (placement, plan) => timeOf(placement, plan) === 'once',
    () => ({ recurrence: 'FREQ=DAILY;COUNT=2' }),
  ),
  phases_overlap: (plan) => {
    const tree = new OutlineTree(plan.outline);
    const isPlain = (phase: string): boolean =>
      tree.listTasks().every((node) => tree.findPhase(node)!.id !== phase || tree.findRecurrence(node) === undefined);
    const { phases, dependencies } = plan.roadmap;
    const inside = (phase: string, id: string): boolean => tree.findPhase(tree.find(id)!)!.id === phase;
    const isFree = (phase: string): boolean =>
      dependencies.every(({ from, to }) => to !== phase && inside(phase, from) === inside(phase, to));
    const later = phases.find(({ node, mayOverlap }, index) => {
      const before = phases[index - 1]?.node;
      return before !== undefined && !mayOverlap && isPlain(node) && isPlain(before) && isFree(node);
    });
    if (!later) return undefined;
    return moveToFront(plan, ({ task }) => tree.findPhase(tree.find(task)!)!.id === later.node);
  },
  dependency_violated: (plan) => {
    const tree = new OutlineTree(plan.outline);
    const isPlain = (id: string): boolean => tree.findRecurrence(tree.find(id)!) === undefined;
    const { phases, dependencies } = plan.roadmap;
    const found = dependencies.find(
      ({ from, to, lag }) => lag.amount > 0 && isPlain(from) && isPlain(to) && phases[0]!.tasks.includes(to),
    );
    return found && moveToFront(plan, ({ task }) => task === found.to);
  },
};
