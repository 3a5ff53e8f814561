import { isMatch } from '@phaseline/checks';
import type { RuleCondition } from '../rule.js';
import type { GuardVersion } from './guard-history.js';
import type { StoredGuard } from './registry-events.js';

/** Maximum number of broken cases and frozen agents that a refusal names. */
const MAX_NAMED = 5;

/** Why the evidence does not allow the promotion of a version, and what to do; `undefined` if it does. */
export function findPromotionProblem(
  { added: { name, number, minLabelled, definition }, backtest }: GuardVersion,
  frozenAgents: readonly string[],
): string | undefined {
  if (!backtest)
    return `version ${number} has no backtest; run it on recorded calls first: phaseline guards backtest ${name} --record`;
  const { labelled, cases } = backtest;
  if (labelled < minLabelled)
    return `the newest backtest of version ${number} compared ${labelled} calls whose outcome is known, and the guard demands ${minLabelled}; backtest it again when more jobs have ended, or add a version with a lower minLabelled`;
  if (cases && cases.broken.length > 0)
    return `version ${number} breaks cases that pass without it: ${nameSome(cases.broken)}; add a version that lets them pass`;
  const reached = frozenAgents.filter((agent) => !excludesAgent(definition, agent));
  if (reached.length > 0)
    return `version ${number} could apply to frozen agents: ${nameSome(reached)}; add a version whose condition 'agent' excludes them, or remove 'frozen' from their agent.yaml`;
  return undefined;
}

/** Whether a guard is certain never to decide anything in phases of an agent. A script can read anything, so that it never is. */
export function excludesAgent({ kind, body }: Pick<StoredGuard, 'kind' | 'body'>, agent: string): boolean {
  // The body of a stored rule was parsed when it was added; the event stores it as JSON.
  return kind === 'rule' && isNeverMet((body as unknown as { readonly when: RuleCondition }).when, agent);
}

function isNeverMet({ agent: matcher, all = [], any = [], not }: RuleCondition, agent: string): boolean {
  return (
    (matcher !== undefined && !isMatch(matcher, agent)) ||
    all.some((condition) => isNeverMet(condition, agent)) ||
    (any.length > 0 && any.every((condition) => isNeverMet(condition, agent))) ||
    (not !== undefined && isAlwaysMet(not, agent))
  );
}

/** Only of a condition about nothing but the agent is it certain that it is met. */
function isAlwaysMet(condition: RuleCondition, agent: string): boolean {
  const { agent: matcher } = condition;
  return matcher !== undefined && Object.keys(condition).length === 1 && isMatch(matcher, agent);
}

function nameSome(names: readonly string[]): string {
  return `${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''}`;
}
