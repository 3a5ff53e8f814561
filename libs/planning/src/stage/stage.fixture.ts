import type { PlanContext } from '../artifacts/plan-context.js';
import type { OutlineNode, PlanOutline } from '../artifacts/plan-outline.js';
import type { Dependency, Roadmap } from '../artifacts/roadmap.js';
import { weekdays } from '../artifacts/strategy-profile.js';
import { buildContext } from '../grammar/valid-plan.fixture.js';
import type { PlanArtifacts } from './plan-input.js';

const pattern = { patternType: 'hybrid_project_cycle', introducedBy: 'system', confidence: 1 } as const;

/** A node; its level follows from the number of dots in its id (`p`, `p.m`, `p.m.t`), its parent from the id, and so that of a task in a phase (`p.-.t`). */
export function buildNode(id: string, more: Partial<OutlineNode> = {}): OutlineNode {
  const parts = id.split('.');
  const parent = parts.slice(0, -1).filter((part) => part !== '-');
  const level = (['L1', 'L2', 'L3', 'L4'] as const)[parts.length - 1]!;
  return {
    ...{ id, parent: parent.length === 0 ? null : parent.join('.'), level, time: 'once', title: `Title of ${id}` },
    origin: 'system',
    ...(parts.length > 2 && { estimateMinutes: 60 }),
    ...more,
  };
}

/** A dependency without a lag, such as `a FS b`. */
export function buildDependency(text: string, more: Partial<Dependency['lag']> = {}): Dependency {
  const [from, kind, to] = text.split(' ') as [string, Dependency['kind'], string];
  return { from, to, kind, lag: { amount: 0, unit: 'minutes', time: 'working', ...more } };
}

/** A plan in Berlin from Monday, 4 January 2027, with work from 9 to 17 on weekdays and without a break. */
export function buildPlan(
  nodes: readonly OutlineNode[],
  {
    dependencies = [],
    due = {},
    overlapping = [],
    context = {},
  }: {
    readonly dependencies?: readonly Dependency[];
    readonly due?: Readonly<Record<string, string>>;
    readonly overlapping?: readonly string[];
    readonly context?: Partial<PlanContext>;
  } = {},
): PlanArtifacts {
  const inside = (phase: string, levels: readonly string[]) =>
    nodes.filter(({ id, level }) => id.startsWith(`${phase}.`) && levels.includes(level)).map(({ id }) => id);
  const phases = nodes
    .filter(({ level }) => level === 'L1')
    .map(({ id }) => ({
      node: id,
      mayOverlap: overlapping.includes(id),
      milestones: inside(id, ['L2']).map((node) => (due[node] === undefined ? { node } : { node, due: due[node] })),
      tasks: inside(id, ['L3', 'L4']),
    }));
  const outline: PlanOutline = { contextHash: '0'.repeat(64), pattern, nodes: [...nodes] };
  const roadmap: Roadmap = {
    ...{ outlineHash: '1'.repeat(64), pattern, phases, dependencies: [...dependencies], optionsTried: [] },
    choice: { option: 'a', reason: 'It fits.' },
  };
  const hours = weekdays.slice(0, 5).map((weekday) => ({ weekday, from: '09:00', to: '17:00' }));
  return {
    context: {
      ...buildContext(pattern),
      calendar: { hours, holidays: [] },
      capacity: { minutesPerDay: 480, minutesPerWeek: 2400 },
      strategy: { loading: 'front_loaded', bufferShare: 0, preferredWeekdays: [] },
      ...context,
    },
    outline,
    roadmap,
  };
}
