import { jsonObjectSchema, type JsonObject } from '@phaseline/basics';
import { guardDecisions, toGuardRef, type Guard } from '@phaseline/domain';
import { z } from 'zod';
import type { GuardDecision } from './guard-input.js';

/** What the call of the system that asks command guards returns, as far as decisions need it. */
const answerSchema = z.object({
  decisions: z.array(
    z.object({
      guard: z.string(),
      decision: z.enum(guardDecisions),
      reason: z.string().exactOptional(),
      amended: jsonObjectSchema.exactOptional(),
      context: z.string().exactOptional(),
      failure: z.object({ code: z.string(), message: z.string() }).exactOptional(),
      durationMs: z.int().min(0),
    }),
  ),
});

/** How the call of the system that asked a command guard ended. */
export interface CommandGuardRun {
  /** Structured result; absent if the call failed. */
  readonly result?: JsonObject | undefined;
  /** Why the call failed. */
  readonly failure?: string | undefined;
}

/**
 * What a command guard decided; `undefined` if it had nothing to say. A run that failed, for example because its process died, decides as
 * the `onFailure` of the guard says.
 */
export function readCommandDecision(guard: Guard, { result, failure }: CommandGuardRun): GuardDecision | undefined {
  if (guard.kind === 'judge' && failure === undefined) return readJudgeDecision(guard, result);
  const answer = answerSchema.safeParse(result).data;
  if (failure !== undefined || !answer) return buildFailed(guard, failure ?? 'its answer cannot be read');
  const decided = answer.decisions.find((one) => one.guard === guard.name);
  if (!decided) return undefined;
  const { guard: _name, decision, amended, ...rest } = decided;
  return { ...rest, guard: toGuardRef(guard), kind: decision, ...(amended ? { arguments: amended } : {}) };
}

const judgeAnswerSchema = z.object({ outcome: z.enum(['passed', 'failed', 'error']), reason: z.string() });

/** What a judge decided: it refuses, or it has nothing to say. An answer that cannot be read refuses too. */
function readJudgeDecision(guard: Guard, result: JsonObject | undefined): GuardDecision | undefined {
  const answer = judgeAnswerSchema.safeParse(result).data;
  if (answer?.outcome === 'passed') return undefined;
  if (answer?.outcome !== 'failed') return buildFailed(guard, answer?.reason ?? 'its answer cannot be read');
  return { guard: toGuardRef(guard), kind: 'deny', reason: answer.reason };
}

function buildFailed(guard: Guard, message: string): GuardDecision {
  const failure = { code: 'guard_run_failed', message: message.slice(0, 500) };
  if (guard.onFailure === 'continue') return { guard: toGuardRef(guard), kind: 'allow', failure };
  const reason = `the guard ${guard.name} could not decide: ${failure.message}`;
  return { guard: toGuardRef(guard), kind: 'deny', reason, failure };
}
