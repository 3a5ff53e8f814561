import type { JsonObject } from '@phaseline/basics';
import type { PhaseState } from '@phaseline/domain';
import { runInThread, type ScriptLimits } from '@phaseline/sandbox';
import { z } from 'zod';
import type { GuardDecision, GuardEvent } from './guard-input.js';

/** Limits of one run. Steps are counted, not time, so that a guard decides the same on every machine. */
const LIMITS: ScriptLimits = {
  calls: 0,
  memoryBytes: 32 * 1024 * 1024,
  stackBytes: 256 * 1024,
  interrupts: 500,
  promiseJobs: 10_000,
  argumentCharacters: 0,
  printedCharacters: 1_000,
};
/** Time limit that only a single endless step of the engine reaches. */
const TIMEOUT_MS = 2_000;
/** Number of latest calls that a script sees. */
const MAX_CALLS = 100;

const text = z.string().min(1).max(10_000);
const decisionSchema = z
  .union([
    z.null(),
    z.strictObject({ decision: z.literal('allow') }),
    z.strictObject({ decision: z.literal('deny'), reason: text, suggest: text.optional() }),
    z.strictObject({ decision: z.literal('ask'), reason: text }),
    z.strictObject({ decision: z.literal('amend'), arguments: z.record(z.string(), z.json()), reason: text }),
    z.strictObject({ decision: z.literal('context'), context: text }),
  ])
  .describe('null or { decision: allow | deny | ask | amend | context, … }');

/** Thrown if a script cannot decide: it throws, exceeds its limits, or returns something else than a decision. */
export class FailedScript extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Runs a script guard in the isolate. Returns `undefined` if it has nothing to say. Throws FailedScript. */
export async function runScriptGuard(
  code: string,
  event: GuardEvent,
  state: PhaseState,
): Promise<Omit<GuardDecision, 'guard'> | undefined> {
  const input = JSON.stringify({ event, state: describeState(state) });
  const outcome = await runInThread({ code: buildProgram(code, input), results: [], limits: LIMITS }, TIMEOUT_MS);
  if (outcome.kind === 'failed') throw new FailedScript(outcome.code, outcome.message);
  if (outcome.kind === 'calls') throw new FailedScript('script_calls', 'a guard cannot call tools');
  const parsed = decisionSchema.safeParse(JSON.parse(outcome.text));
  if (!parsed.success) throw new FailedScript('guard_answer', `expected ${decisionSchema.description}`);
  return parsed.data === null ? undefined : toDecision(parsed.data);
}

/** The guard is on the first line, so that line numbers in errors are those of its file. */
function buildProgram(code: string, input: string): string {
  const read = `__parse(${JSON.stringify(input)})`;
  return `const __parse = JSON.parse, __text = JSON.stringify, __guard = (${code.replace(/;\s*$/, '')}\n); const __result = await __guard(${read}); return __result === undefined ? 'null' : __text(__result);`;
}

function toDecision(given: NonNullable<z.infer<typeof decisionSchema>>): Omit<GuardDecision, 'guard'> {
  switch (given.decision) {
    case 'allow':
      return { kind: 'allow' };
    case 'amend':
      return { kind: 'amend', arguments: given.arguments as JsonObject, reason: given.reason };
    case 'context':
      return { kind: 'context', context: given.context };
    case 'ask':
      return { kind: 'ask', reason: given.reason };
    case 'deny': {
      const { reason, suggest } = given;
      return { kind: 'deny', reason, ...(suggest === undefined ? {} : { suggest }) };
    }
  }
}

/** The part of a phase that a script sees. */
function describeState({ start, todos, work, tree }: PhaseState): JsonObject {
  const { agent, state, kind, phase } = start.identity;
  return {
    agent: agent.name,
    state,
    phaseKind: kind,
    phase,
    todos: todos.list.map(({ id, content, status }) => ({ id, content, status })),
    calls: work.calls.slice(-MAX_CALLS).map(({ name, arguments: args, outcome, result }) => ({
      name,
      arguments: args,
      outcome,
      ...(result ? { result } : {}),
    })),
    changedFiles: Object.keys(work.changedFiles).map((path) => ({ path, size: tree[path]?.size ?? null })),
  };
}
