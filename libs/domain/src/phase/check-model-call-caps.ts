import { buildPhaseFailed } from './phase-failed.js';
import type { PhaseEvent } from './phase-events.js';
import type { PhaseState } from './phase-state.js';

export interface CallEstimate {
  /** Tokens of the request, counted before it is sent. */
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  /** Maximum tokens of the call. Defaults to `inputTokens` plus `maxOutputTokens`. */
  readonly reservedTokens?: number;
  /** Maximum cost of the call, in micro-USD. */
  readonly worstCaseMicroUsd: number;
  /** Context window of the model in tokens, request and answer together. */
  readonly contextTokens: number;
}

/**
 * Checks the caps before the money is spent: what the phase has used plus the worst case of the next call must stay
 * within the allowance. Returns the `PhaseFailed` event to record, or `undefined` if the call may be made.
 */
export function checkModelCallCaps(state: PhaseState, estimate: CallEstimate, now: Date): PhaseEvent | undefined {
  const { allowance, spending, unconfirmed } = state.money;
  if (allowance.deadlineAt !== undefined && now.getTime() >= Date.parse(allowance.deadlineAt)) {
    return buildPhaseFailed('wall_time_limit', `the job passed its deadline ${allowance.deadlineAt}`, false);
  }
  const turnLimit = checkTurn(state);
  if (turnLimit) return turnLimit;
  if (estimate.inputTokens + estimate.maxOutputTokens > estimate.contextTokens) {
    return buildPhaseFailed(
      'context_limit',
      `the conversation (${estimate.inputTokens} tokens and ${estimate.maxOutputTokens} for the answer) no longer fits the model's ${estimate.contextTokens}`,
      true,
    );
  }
  const { reservedTokens = estimate.inputTokens + estimate.maxOutputTokens } = estimate;
  const tokens = spending.inputTokens + spending.outputTokens + unconfirmed.tokens + reservedTokens;
  if (allowance.tokens !== undefined && tokens > allowance.tokens) {
    return buildPhaseFailed(
      'token_limit',
      `the next call could exceed the job's token limit: it may use up to ${reservedTokens} tokens, and ${Math.max(0, allowance.tokens - (tokens - reservedTokens))} remain`,
      false,
    );
  }
  const cost = spending.costMicroUsd + unconfirmed.costMicroUsd + estimate.worstCaseMicroUsd;
  if (allowance.costMicroUsd !== undefined && cost > allowance.costMicroUsd) {
    return buildPhaseFailed(
      'cost_limit',
      `the next call could exceed the job's cost limit: it may cost up to ${formatUsd(estimate.worstCaseMicroUsd)}, and ${formatUsd(Math.max(0, allowance.costMicroUsd - (cost - estimate.worstCaseMicroUsd)))} remain`,
      false,
    );
  }
  return undefined;
}

/** Milliseconds that model calls and tools may still take in the turn; `undefined` without a limit. */
export function computeRemainingTurnMs({ turn, money }: PhaseState): number | undefined {
  const { maxWorkMs } = money.allowance.turn ?? {};
  return turn && maxWorkMs !== undefined ? Math.max(0, maxWorkMs - turn.workMs) : undefined;
}

/** Checks the limits of the turn. What a person writes next begins another one. */
function checkTurn({ turn, money }: PhaseState): PhaseEvent | undefined {
  const limits = money.allowance.turn;
  if (!turn || !limits) return undefined;
  const { max = Infinity, maxWorkMs = Infinity, softCostMicroUsd = Infinity } = limits;
  if (turn.number > max) return buildPhaseFailed('turn_limit', `the job reached its limit of ${max} turns`, false);
  if (turn.workMs >= maxWorkMs)
    return buildPhaseFailed('turn_time_limit', `the turn used its ${maxWorkMs} ms of model calls and tools`, false);
  if (turn.costMicroUsd < softCostMicroUsd) return undefined;
  const spent = `${formatUsd(turn.costMicroUsd)} of ${formatUsd(softCostMicroUsd)}`;
  return buildPhaseFailed('turn_cost_limit', `the turn used ${spent}`, false);
}

function formatUsd(micro: number): string {
  return `$${(micro / 1_000_000).toFixed(4)}`;
}
