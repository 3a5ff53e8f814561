import type { JsonObject } from '@phaseline/basics';
import { findMismatches } from '@phaseline/checks';
import { parseStoredGuard, type Guard, type Rule } from '@phaseline/domain';
import { normalisePathArguments } from '@phaseline/guards';
import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';
import type { Pattern } from '../patterns/extract-patterns.js';
import type { Proposal, StoredMembers } from './proposal.js';

/** A call of another tool that changed the file of a denied call, later in the same phase. */
export interface EvadingCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** A guard as the phase of the newest violation received it, and what is known of its decisions. */
export interface DecidingGuard {
  readonly guard: Guard;
  /** Set for a version that is stored in the tenant or in the installation. */
  readonly stored?: StoredMembers | undefined;
  /** Number of calls that people approved after it had asked about them. */
  readonly approved: number;
  readonly evading: readonly EvadingCall[];
}

/** What becomes stricter; or why nothing can. */
type Stricter = { readonly changes: Partial<Guard>; readonly summary: string } | { readonly problem: string };

/**
 * Proposes a stricter version of the guard of a pattern. A version is only stricter in what its author wrote as data: it denies where it asked, it denies
 * also if it cannot decide, or it names further tools. No model wrote any of it, and the code of a script is never changed.
 */
export function proposeStricterGuard(pattern: Pattern, found: DecidingGuard | undefined): Proposal {
  const kind = 'stricter_guard';
  if (!pattern.proposals.includes(kind)) return { kind, problem: 'no guard decided about these calls' };
  if (!found) return { kind, problem: `the phase of the newest call did not record the guard ${pattern.guard ?? ''}` };
  const { guard, stored } = found;
  const stricter = makeStricter(pattern, found);
  if ('problem' in stricter) return { kind, problem: stricter.problem };
  const before = toFile(guard, stored);
  const after = toFile({ ...guard, ...stricter.changes }, stored);
  const parsed = parseStoredGuard(after);
  if ('problems' in parsed)
    return { kind, problem: `the stricter version is not valid: ${parsed.problems[0]?.message ?? 'unknown'}` };
  const file = `${guard.name}.yaml`;
  return {
    kind,
    summary: `${stricter.summary} It is based on version ${guard.version.slice(0, 8)} (${guard.scope}), which decided about the newest call.`,
    guard: after,
    diff: createTwoFilesPatch(`a/${file}`, `b/${file}`, stringify(before), stringify(after)),
    tryWith: `phaseline guards backtest ${file}`,
  };
}

function makeStricter(pattern: Pattern, { guard, approved, evading }: DecidingGuard): Stricter {
  const { name, kind, onFailure } = guard;
  if (kind !== 'rule') return { problem: `the guard ${name} is a ${kind}; only its author can change what it decides` };
  // The body of a rule was checked when the phase received it.
  const rule = guard.body as unknown as Rule;
  if ('ask' in rule.then) return denyInsteadOfAsk(pattern, name, rule, approved);
  if (onFailure === 'continue')
    return { changes: { onFailure: 'deny' }, summary: 'It denies also if it cannot decide.' };
  const tools = listEvadingTools(rule, evading);
  if (tools.length > 0) {
    const changed: Rule = { ...rule, when: { ...rule.when, tool: [...[rule.when.tool!].flat(), ...tools] } };
    return {
      changes: { body: toBody(changed) },
      summary: `It holds for ${tools.join(', ')} too, with which agents changed the same files after a denial.`,
    };
  }
  return {
    problem: `the guard ${name} denies all of these calls already, and no call got around it; change the instructions of the agent, so that it does not make them`,
  };
}

function denyInsteadOfAsk({ support }: Pattern, name: string, rule: Rule, approved: number): Stricter {
  if (approved > 0)
    return {
      problem: `people approved calls about which the guard ${name} asked (${approved}), and a version that denies would deny these too; a new rule can deny the refused ones alone`,
    };
  const { ask, suggest } = rule.then as Extract<Rule['then'], { ask: string }>;
  const changed: Rule = { ...rule, then: { deny: ask, ...(suggest === undefined ? {} : { suggest }) } };
  return {
    changes: { body: toBody(changed) },
    summary: `It denies instead of asking: people refused ${support} of these calls, and approved none about which it asked.`,
  };
}

function toBody(rule: Rule): JsonObject {
  // A rule is JSON; its type has no index signature.
  return rule as unknown as JsonObject;
}

/** Names of tools that a rule does not name, whose calls have the arguments that it is about. A tool that the rule itself suggests is none. */
function listEvadingTools({ when, then }: Rule, evading: readonly EvadingCall[]): readonly string[] {
  const { tool, args = {} } = when;
  if (tool === undefined) return [];
  const known = [tool].flat();
  const texts = JSON.stringify(then);
  const found = evading.filter(
    (call) =>
      !known.includes(call.tool) &&
      !texts.includes(call.tool) &&
      findMismatches(args, normalisePathArguments(call.arguments)).length === 0,
  );
  return [...new Set(found.map((call) => call.tool))].sort();
}

/** The file of a guard, without what is so by default. */
function toFile({ name, owner, points, workflows, onFailure, body }: Guard, stored?: StoredMembers): JsonObject {
  const { description, minLabelled, limits } = stored ?? {};
  const file = {
    ...{ name, owner },
    ...(description === undefined ? {} : { description }),
    ...(points.join() === 'PreToolUse' ? {} : { points }),
    ...(workflows ? { workflows } : {}),
    ...(onFailure === 'deny' ? {} : { onFailure }),
    ...(minLabelled === undefined ? {} : { minLabelled }),
    ...(limits ? { limits } : {}),
    ...body,
  };
  // What the schema of a file accepts is JSON; its types have no index signature.
  return file as unknown as JsonObject;
}
