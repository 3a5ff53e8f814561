/** Why a phase can fail. */
export const phaseFailureCodes = [
  'stopped_early',
  'gate_rejected',
  'denied_calls',
  'step_limit',
  'cost_limit',
  'token_limit',
  'wall_time_limit',
  'context_limit',
  'model_failed',
  'definition_missing',
  'repeated_failure',
  'worker_lost',
  'not_recorded',
  'rewind_limit',
  'stuck',
  'tool_exhausted',
  'claim_refused',
  'guard_refused',
  'items_refused',
  'controller_failed',
  'turn_limit',
  'turn_time_limit',
  'turn_cost_limit',
  'daily_limit',
] as const;
export type PhaseFailureCode = (typeof phaseFailureCodes)[number];

/** Code of calls and phases that failed because the recording has no result or no answer. */
export const NOT_RECORDED = 'not_recorded' satisfies PhaseFailureCode;

/** Failures of what is around the agent. They say nothing about its work. */
export const OUTSIDE_FAILURES: ReadonlySet<string> = new Set(['model_failed', 'worker_lost', 'not_recorded']);
