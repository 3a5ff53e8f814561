import type { JsonObject } from '@phaseline/basics';
import type { Matchers } from '@phaseline/checks';
import type { Pattern, PatternGroup } from '../patterns/extract-patterns.js';
import { deriveRule } from './derive-rule.js';

/** A rule as its file has it, a draft; or why the pattern has none. */
export type GuardProposal = { readonly guard: JsonObject } | { readonly problem: string };

/**
 * Proposes a rule that denies the calls of a pattern. Its texts come from codes and names alone: no model wrote any of it. A guard that denies the calls
 * already needs none.
 */
export function proposeGuard(
  { pattern, violations }: PatternGroup,
  accepted: readonly JsonObject[],
  owner: string,
): GuardProposal {
  if (!pattern.proposals.includes('new_rule') || pattern.tool === undefined)
    return { problem: describeRefusal(pattern) };
  const derived = deriveRule(
    violations.flatMap(({ call }) => (call ? [call.arguments] : [])),
    accepted,
  );
  return 'problem' in derived
    ? derived
    : { guard: buildGuard(pattern, pattern.tool, derived.alternatives, owner, accepted.length) };
}

function describeRefusal({ guard }: Pattern): string {
  if (guard !== undefined)
    return `the guard ${guard} denies these calls already; write a stricter version of it, or change the instructions of the agent`;
  return 'no person corrected these calls, and no check refused them; change the instructions of the agent';
}

function buildGuard(
  { id, agent, reason, support, jobs }: Pattern,
  tool: string,
  alternatives: readonly Matchers[],
  owner: string,
  accepted: number,
): JsonObject {
  const [only, ...others] = alternatives;
  const conditions = others.length === 0 ? { args: only! } : { any: alternatives.map((args) => ({ args })) };
  return {
    name: `learned-${id}`,
    owner,
    description: `From pattern ${id}: ${support} calls of ${jobs} jobs (${reason}). It matches none of ${accepted} accepted calls of completed jobs.`,
    stage: 'draft',
    // Matchers are JSON; their types have no index signature.
    when: { agent, tool, ...conditions } as unknown as JsonObject,
    then: { deny: `such calls of ${tool} were refused ${support} times before (${reason}).` },
  };
}
