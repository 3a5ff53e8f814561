import type { JsonObject } from '@phaseline/basics';
import type { Guard } from '@phaseline/domain';
import type { SeededRandom } from '@phaseline/harness';
import { PATHS, TEXTS, TOOLS } from './generate-calls.js';

type Points = Guard['points'];
type Condition = (random: SeededRandom) => JsonObject;

const CALL_POINTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest'] as const;
const OTHER_POINTS = [
  'TaskCompleted',
  'Stop',
  'SubagentStop',
  'SessionStart',
  'UserPromptSubmit',
  'PreCompact',
] as const;

/** Generates a rule or a script, in shadow: it may match any of the generated calls, or none. */
export function generateGuard(random: SeededRandom, index: number): Guard {
  if (random.chance(0.7)) return generateRule(random, index);
  return { ...build(random, index), kind: 'script', body: { code: generateScript(random) } };
}

function generateRule(random: SeededRandom, index: number): Guard {
  const guard = build(random, index);
  const isAboutCalls = CALL_POINTS.some((point) => guard.points.includes(point));
  const when = generateCondition(random, isAboutCalls ? callConditions : otherConditions);
  return { ...guard, kind: 'rule', body: { when, then: generateAction(random, guard.points) } };
}

function build(random: SeededRandom, index: number) {
  return {
    name: `guard-${index}`,
    version: index.toString(16).padStart(64, '0'),
    ...({ scope: 'agent', stage: 'shadow', owner: 'lab' } as const),
    points: pickPoints(random),
    ...(random.chance(0.1) ? { workflows: [random.pick(['standard', 'another'])] } : {}),
    onFailure: index % 2 === 0 ? 'deny' : 'continue',
  } as const;
}

function pickPoints(random: SeededRandom): Points {
  const point = random.chance(0.75) ? random.pick(CALL_POINTS) : random.pick(OTHER_POINTS);
  if (point === 'PreToolUse' && random.chance(0.2)) return ['PreToolUse', 'PostToolUse'];
  return point === 'Stop' && random.chance(0.3) ? ['Stop', 'SessionStart', 'TaskCompleted'] : [point];
}

/** Conditions that hold at every point, or at none. */
const phaseConditions: readonly Condition[] = [
  (random) => ({ phaseKind: random.pick(['tactical', 'strategic']) }),
  (random) => ({ agent: random.pick(['test', 'test-agent', 'other']) }),
  (random) => ({ agent: { startsWith: random.pick(['t', 'x']) } }),
  (random) => ({ state: { matches: random.pick(['a', '^p', 'work|plan']) } }),
  () => ({ checks: [{ file: { path: 'work/a.txt', exists: true } }] }),
  (random) => ({ file: { path: random.pick(PATHS), bytes: { gt: random.between(0, 10) } } }),
  (random) => ({ file: { path: random.pick(PATHS), matches: random.pick(['one', 'longer']) } }),
  () => ({}),
];

const otherConditions: readonly Condition[] = [
  ...phaseConditions,
  (random) => ({ point: random.pick(OTHER_POINTS) }),
  (random) => ({ todo: { matches: random.pick(['thing', 'nothing']) } }),
  (random) => ({ prompt: { matches: random.pick(['.', 'never']) } }),
  (random) => ({ outcome: random.pick(['done', 'planned', 'other']) }),
];

const callConditions: readonly Condition[] = [
  ...phaseConditions,
  (random) => ({ tool: random.pick(TOOLS) }),
  (random) => ({ tool: `${random.pick(TOOLS).slice(0, 5)}*` }),
  (random) => ({ tool: [random.pick(TOOLS), random.pick(TOOLS)] }),
  (random) => ({ args: { path: random.pick(PATHS) } }),
  (random) => ({ args: { path: { startsWith: random.pick(PATHS).slice(0, 4) } } }),
  (random) => ({ args: { path: { path: random.pick(['work/**', '*.md', 'src/*']) } } }),
  (random) => ({ args: { content: { matches: random.pick(TEXTS).slice(0, 3) } } }),
  (random) => ({ args: { limit: { gt: random.between(0, 3) } } }),
  (random) => ({ result: { path: random.pick(PATHS) } }),
  (random) => ({ tool: 'write_file', file: { path: '{args.path}', exists: random.chance(0.5) } }),
  (random) => ({ tool: 'read_file', file: { path: '{args.path}', lines: { gt: random.between(0, 3) } } }),
  (random) => ({ checks: [{ call: { tool: random.pick(TOOLS), since: 'phase' } }] }),
];

function generateCondition(random: SeededRandom, conditions: readonly Condition[]): JsonObject {
  const pick = (): JsonObject => random.pick(conditions)(random);
  switch (random.between(0, 5)) {
    case 0:
      return { not: pick() };
    case 1:
      return { any: [pick(), pick()] };
    case 2:
      return { all: [pick(), { not: pick() }] };
    default:
      return random.chance(0.3) ? { ...pick(), phaseKind: 'tactical' } : pick();
  }
}

function generateAction(random: SeededRandom, points: Points): JsonObject {
  const isBefore = points.length === 1 && points[0] === 'PreToolUse';
  const kinds: readonly JsonObject[] = [
    { deny: 'not {args.path}', suggest: 'write elsewhere' },
    { context: 'the path is {args.path}' },
    ...(isBefore ? [{ ask: 'is this right?' }, { amend: { path: 'work/amended.txt' }, reason: 'one place' }] : []),
    ...(isBefore ? [{ amend: { path: '{args.path}', limit: 'many' }, reason: 'no tool takes it' }] : []),
  ];
  return random.pick(kinds);
}

function generateScript(random: SeededRandom): string {
  const path = JSON.stringify(random.pick(PATHS));
  return random.pick([
    `({ event }) => event.arguments?.path === ${path} ? { decision: 'deny', reason: 'not this file' } : undefined`,
    `({ event, state }) => (state.calls ?? []).length % 3 === 0 ? { decision: 'deny', reason: 'every third' } : undefined`,
    `({ event }) => ({ decision: 'context', context: 'seen ' + event.tool })`,
    `({ event }) => event.tool === 'write_file' ? { decision: 'ask', reason: 'may it?' } : null`,
    `({ event }) => event.arguments?.path === ${path} ? { decision: 'amend', arguments: { ...event.arguments, path: 'work/c.txt' }, reason: 'moved' } : null`,
    `({ state }) => ({ decision: 'deny', reason: JSON.stringify([state.todos, state.changedFiles]) })`,
    `({ event }) => { if (String(event.arguments?.content ?? '').length > 5) throw new Error('too long'); }`,
    `({ event }) => { while (event.arguments?.path === ${path} && event.tool === 'delete_file'); }`,
    `({ event }) => event.tool === 'list_files' ? 7 : { decision: 'allow' }`,
    `() => undefined`,
  ]);
}
