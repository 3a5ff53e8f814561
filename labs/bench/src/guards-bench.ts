import type { Guard, PhaseState } from '@phaseline/domain';
import { decidePureGuards, type GuardEvent } from '@phaseline/guards';
import { percentile } from '@phaseline/harness';
import { requireCount } from './bench-failed.js';
import { createPhase } from './context/create-phase.js';

/*
 * Measures what pure guards add to a step: the time to ask 50 rules, 10 of which match the tool of the call, and the time to ask one script.
 * Rules compare the path and the content of a write of 4 KB, and three of the ten count the lines of a file of 1,000 lines. No rule denies,
 * so that all of them are evaluated.
 *
 * Options: rounds, and the overhead of a step on this machine with which the rules are compared.
 */

export interface GuardRow {
  readonly what: string;
  readonly guards: number;
  readonly rounds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Median as a share of the overhead of a step, in percent. */
  readonly shareOfStepPercent: number;
}

const RULES = 50;
const MATCHING_RULES = 10;
const FILE = { hash: 'f'.repeat(64), size: 40_000, writtenAt: '2026-01-01T00:00:00.000Z' };
const LINES = Array.from({ length: 1_000 }, (_, index) => `line ${index} of the log of the service`).join('\n');

export async function measureGuards(options: {
  readonly rounds: number;
  readonly stepMs: number;
}): Promise<readonly GuardRow[]> {
  const rules = Array.from({ length: RULES }, (_, index) => buildRule(index));
  const script = { ...buildRule(0), kind: 'script' as const, body: { code: SCRIPT } };
  return [
    await measure(`rules, ${MATCHING_RULES} of which match the tool`, rules, options),
    await measure('script', [script], { ...options, rounds: Math.ceil(options.rounds / 10) }),
  ];
}

const SCRIPT = `({ event, state }) => {
  if (event.arguments.path.startsWith('src/') && state.agent !== 'coder') return { decision: 'context', context: 'seen' };
}`;

async function measure(
  what: string,
  guards: readonly Guard[],
  { rounds, stepMs }: { readonly rounds: number; readonly stepMs: number },
): Promise<GuardRow> {
  const state = createPhase({ workspace: { tree: { 'logs/a.log': FILE } } });
  const times: number[] = [];
  let recorded = 0;
  // The first rounds compile patterns and start the thread of scripts, as the first step of a worker does.
  for (let round = -10; round < rounds; round += 1) {
    const started = performance.now();
    recorded = await ask(guards, state, round);
    if (round >= 0) times.push(performance.now() - started);
  }
  // A guard that was not asked would cost nothing.
  requireCount('decisions of guards', recorded, 1);
  const p50Ms = percentile(times, 0.5);
  const shareOfStepPercent = (100 * p50Ms) / stepMs;
  return { what, guards: guards.length, rounds, p50Ms, p99Ms: percentile(times, 0.99), shareOfStepPercent };
}

async function ask(guards: readonly Guard[], state: PhaseState, round: number): Promise<number> {
  const event: GuardEvent = {
    point: 'PreToolUse',
    callId: `call_${round}`,
    tool: 'write_file',
    arguments: { path: `src/part-${round}.ts`, content: 'const value = 1;\n'.repeat(240) },
  };
  const { recorded } = await decidePureGuards(guards, event, state, {
    readTexts: async (files) => new Map([...files.keys()].map((hash) => [hash, LINES])),
    parseAmended: (args) => ({ arguments: args }),
  });
  return recorded.length;
}

/** The first ten rules are about the tool of the call, and only the first of them holds. */
function buildRule(index: number): Guard {
  const tool = index < MATCHING_RULES ? 'write_file' : `other_tool_${index}`;
  const conditions = [
    { args: { path: { glob: 'src/**' } } },
    { args: { content: { matches: 'password\\s*=' } } },
    { args: { path: { startsWith: 'docs/' } }, not: { agent: 'coder' } },
    { file: { path: 'logs/a.log', lines: { gt: 1_000 } } },
  ];
  const when = { tool, ...conditions[index < 1 ? 0 : 1 + (index % 3)] };
  return {
    name: `rule-${index}`,
    version: 'a'.repeat(64),
    scope: 'agent',
    kind: 'rule',
    stage: 'production',
    owner: 'bench',
    points: ['PreToolUse'],
    onFailure: 'deny',
    body: { when, then: index < 1 ? { context: 'seen' } : { deny: 'no' } },
  };
}
