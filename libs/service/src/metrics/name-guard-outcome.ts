import type { LogEventOf } from './log-event.js';

const decisions = { deny: 'denied', ask: 'asked', amend: 'amended', context: 'context' } as const;

/** Names what a decision of a guard led to, as the counts of `GET /v1/guards` do: decisions in shadow and overridden ones had no effect. */
export function nameGuardOutcome({ guard, decision, failure, override }: LogEventOf<'GuardDecided'>['data']): string {
  if (override) return 'overridden';
  if (guard.stage !== 'production') return 'shadow';
  if (decision !== 'allow') return decisions[decision];
  // An allow is recorded only if the guard could not decide, or added a context.
  return failure ? 'failed' : 'context';
}
