import { createHash } from 'node:crypto';
import type { SeededRandom } from '@phaseline/testing';
import { computeContentHash } from '../artifacts/content-hash.js';
import type { PatternSpec } from '../artifacts/pattern-spec.js';
import type { PlanContext } from '../artifacts/plan-context.js';
import type { PlanOutline } from '../artifacts/plan-outline.js';
import { dependencyKinds, type Dependency, type Roadmap, type RoadmapPhase } from '../artifacts/roadmap.js';
import type { Schedule } from '../artifacts/schedule.js';
import { DEFAULT_STRATEGY_PROFILE } from '../artifacts/strategy-profile.js';
import { findGrammar } from '../patterns/find-grammar.js';
import type { PatternDefinition, PatternGrammar } from '../patterns/pattern-definition.js';
import { DEFAULT_INTERACTION_POLICY } from '../policy/interaction-policy.js';
import { isTaskLevel, OutlineTree } from './outline-tree.js';
import { generateOutline } from './valid-outline.fixture.js';

const MS_PER_MINUTE = 60_000;

/** A valid plan, with what it is checked against. */
export interface ValidPlan {
  readonly context: PlanContext;
  readonly contextHash: string;
  readonly outline: PlanOutline;
  readonly outlineHash: string;
  readonly roadmap: Roadmap;
  readonly roadmapHash: string;
  readonly schedule: Schedule;
  readonly grammar: PatternGrammar;
  readonly selectedPattern: PatternSpec;
  readonly zone: string;
}

export const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');
const hash = (artifact: object): string => computeContentHash(artifact, hashText);

/** Generates a valid plan of one of the patterns, or of one of their subtypes. */
export function generatePlan(patterns: readonly PatternDefinition[], random: SeededRandom): ValidPlan {
  const definition = random.pick(patterns);
  const subtype = random.chance(0.3) ? definition.subtypes[0]?.name : undefined;
  const selectedPattern: PatternSpec = {
    patternType: definition.pattern,
    ...(subtype !== undefined && { subtype }),
    introducedBy: 'system',
    confidence: 0.9,
  };
  const grammar = findGrammar(selectedPattern, patterns)!;
  const context = buildContext(selectedPattern);
  const contextHash = hash(context);
  const outline = generateOutline(grammar, random, { contextHash, pattern: selectedPattern });
  const outlineHash = hash(outline);
  const roadmap = generateRoadmap(outline, grammar, random, { outlineHash, pattern: selectedPattern });
  const roadmapHash = hash(roadmap);
  const schedule = generateSchedule(outline, roadmap, random, roadmapHash);
  const hashes = { contextHash, outlineHash, roadmapHash };
  return { ...hashes, context, outline, roadmap, schedule, grammar, selectedPattern, zone: context.zone };
}

export function buildContext(pattern: PatternSpec): PlanContext {
  return {
    goal: 'Learn to sail',
    user: 'user-1',
    zone: 'Europe/Berlin',
    calendar: { hours: [{ weekday: 'monday', from: '09:00', to: '17:00' }], holidays: [] },
    capacity: { minutesPerDay: 240, minutesPerWeek: 900 },
    dates: { start: '2027-01-04', end: '2027-12-31', fixed: [] },
    strategy: DEFAULT_STRATEGY_PROFILE,
    portfolioVersion: 0,
    facts: [],
    pattern,
    policy: DEFAULT_INTERACTION_POLICY,
  };
}

function generateRoadmap(
  outline: PlanOutline,
  grammar: PatternGrammar,
  random: SeededRandom,
  header: Pick<Roadmap, 'outlineHash' | 'pattern'>,
): Roadmap {
  const tree = new OutlineTree(outline);
  const inside = (id: string) => outline.nodes.filter((node) => tree.findPhase(node)?.id === id);
  const phases = outline.nodes
    .filter(({ level }) => level === 'L1')
    .map(({ id }): RoadmapPhase => {
      return {
        node: id,
        mayOverlap: grammar.level1.mayOverlap && random.chance(0.5),
        milestones: inside(id).flatMap((node) => (node.level === 'L2' ? { node: node.id } : [])),
        tasks: inside(id)
          .filter(isTaskLevel)
          .map((node) => node.id),
      };
    });
  return {
    ...header,
    phases,
    dependencies: generateDependencies(tree, phases, random),
    optionsTried: [
      { id: 'a', title: 'In order', reason: 'It is the simplest.' },
      { id: 'b', title: 'All at once', reason: 'It needs too much time per week.' },
    ],
    choice: { option: 'a', reason: 'It fits the capacity.' },
  };
}

/** Dependencies that follow the order of the tasks, so that they form no cycle. */
function generateDependencies(tree: OutlineTree, phases: readonly RoadmapPhase[], random: SeededRandom): Dependency[] {
  const tasks = new Set(tree.listTasks().map(({ id }) => id));
  const order = phases.flatMap((phase) => phase.tasks.filter((id) => tasks.has(id)));
  const found = new Map<string, Dependency>();
  for (let index = 1; index < order.length; index++) {
    if (random.chance(0.5)) continue;
    const [from, to] = [order[random.between(0, index - 1)]!, order[index]!];
    const kind = random.pick(dependencyKinds);
    const time = random.pick(['working', 'elapsed'] as const);
    const lag = time === 'working' ? { amount: 2, unit: 'days' as const } : { amount: 60, unit: 'minutes' as const };
    const amount = random.chance(0.2) ? -lag.amount : lag.amount;
    found.set(`${from} ${to} ${kind}`, { from, to, kind, lag: { ...lag, amount, time } });
  }
  const [first, second] = phases;
  if (first && second && random.chance(0.3))
    found.set('phases', {
      ...{ from: first.node, to: second.node, kind: 'FS' },
      lag: { amount: 0, unit: 'hours', time: 'elapsed' },
    });
  return [...found.values()];
}

/** One task after another, in the order of the roadmap, with at least an hour between them. */
function generateSchedule(outline: PlanOutline, roadmap: Roadmap, random: SeededRandom, roadmapHash: string): Schedule {
  const tree = new OutlineTree(outline);
  const placeable = new Map(tree.listTasks().map((node) => [node.id, node]));
  let time = Date.parse('2027-01-04T08:00:00Z');
  const tasks = roadmap.phases
    .flatMap((phase) => phase.tasks.flatMap((id) => placeable.get(id) ?? []))
    .map((node) => {
      const start = time + random.between(1, 5) * 60 * MS_PER_MINUTE;
      time = start + (node.estimateMinutes! + random.between(0, 60)) * MS_PER_MINUTE;
      const recurrence = tree.findRecurrence(node);
      return {
        task: node.id,
        start: new Date(start).toISOString(),
        end: new Date(time).toISOString(),
        zone: 'Europe/Berlin',
        ...(recurrence !== undefined && { recurrence }),
        floatMinutes: random.between(0, 100),
        critical: random.chance(0.3),
      };
    });
  return { roadmapHash, tasks };
}
