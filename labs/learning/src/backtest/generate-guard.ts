import type { JsonObject } from '@phaseline/basics';
import type { Guard } from '@phaseline/domain';
import type { SeededRandom } from '@phaseline/harness';
import { PATHS, TEXTS, TOOLS } from './generate-calls.js';

const CALL_POINTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest'] as const;
const CLAIM_POINTS = ['TaskCompleted', 'Stop'] as const;

/** Generates a rule or a script, in shadow: it may match any of the generated calls, or none. */
export function generateGuard(random: SeededRandom, index: number): Guard {
  if (random.chance(0.7)) return generateRule(random, index);
  return { ...build(index, pickPoints(random)), kind: 'script', body: { code: generateScript(random) } };
}

export function generateRule(random: SeededRandom, index: number): Guard {
  const points = pickPoints(random);
  const body = { when: generateCondition(random, points), then: generateAction(random, points) };
  return { ...build(index, points), kind: 'rule', body };
}

function build(index: number, points: Guard['points']) {
  return {
    name: `guard-${index}`,
    version: index.toString(16).padStart(64, '0'),
    ...({ scope: 'agent', stage: 'shadow', owner: 'lab' } as const),
    points,
    onFailure: index % 2 === 0 ? 'deny' : 'continue',
  } as const;
}

function pickPoints(random: SeededRandom): Guard['points'] {
  const point = random.chance(0.85) ? random.pick(CALL_POINTS) : random.pick(CLAIM_POINTS);
  return random.chance(0.2) && point === 'PreToolUse' ? ['PreToolUse', 'PostToolUse'] : [point];
}

function generateCondition(random: SeededRandom, points: Guard['points']): JsonObject {
  if (points.some((point) => CLAIM_POINTS.some((other) => other === point))) return {};
  const kinds: readonly (() => JsonObject)[] = [
    () => ({ tool: random.pick(TOOLS) }),
    () => ({ tool: `${random.pick(TOOLS).slice(0, 5)}*` }),
    () => ({ tool: [random.pick(TOOLS), random.pick(TOOLS)] }),
    () => ({ args: { path: random.pick(PATHS) } }),
    () => ({ args: { path: { startsWith: random.pick(PATHS).slice(0, 4) } } }),
    () => ({ args: { content: { matches: random.pick(TEXTS).slice(0, 3) } } }),
    () => ({ tool: 'write_file', file: { path: '{args.path}', exists: random.chance(0.5) } }),
    () => ({ tool: 'read_file', file: { path: '{args.path}', lines: { gt: random.between(0, 3) } } }),
    () => ({ tool: 'write_file', checks: [{ file: { path: random.pick(PATHS), exists: true } }] }),
    () => ({ checks: [{ call: { tool: random.pick(TOOLS), since: 'phase' } }] }),
    () => ({ not: { tool: random.pick(TOOLS) } }),
    () => ({ any: [{ tool: random.pick(TOOLS) }, { args: { path: random.pick(PATHS) } }] }),
    () => ({ phaseKind: random.pick(['tactical', 'strategic']) }),
    () => ({}),
  ];
  return random.chance(0.3) ? { ...random.pick(kinds)(), phaseKind: 'tactical' } : random.pick(kinds)();
}

function generateAction(random: SeededRandom, points: Guard['points']): JsonObject {
  const isBefore = points.length === 1 && points[0] === 'PreToolUse';
  const kinds: readonly JsonObject[] = [
    { deny: 'not {args.path}', suggest: 'write elsewhere' },
    { context: 'the path is {args.path}' },
    ...(isBefore ? [{ ask: 'is this right?' }, { amend: { path: 'work/amended.txt' }, reason: 'one place' }] : []),
  ];
  return random.pick(kinds);
}

function generateScript(random: SeededRandom): string {
  const path = random.pick(PATHS);
  return random.pick([
    `({ event }) => event.arguments?.path === ${JSON.stringify(path)} ? { decision: 'deny', reason: 'not this file' } : undefined`,
    `({ event, state }) => (state.calls ?? []).length % 3 === 0 ? { decision: 'deny', reason: 'every third' } : undefined`,
    `({ event }) => ({ decision: 'context', context: 'seen ' + event.tool })`,
    `({ event }) => { if (String(event.arguments?.content ?? '').length > 5) throw new Error('too long'); }`,
    `() => undefined`,
  ]);
}
