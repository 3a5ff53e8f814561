import type { JsonValue } from '@phaseline/basics';
import { evaluateChecks, findMismatches, isMatch, type Matcher, matchesPattern } from '@phaseline/checks';
import {
  buildCheckInput,
  fillTemplate,
  fillText,
  listNeededTexts,
  type PhaseState,
  type Rule,
  type RuleCondition,
  type RuleFile,
  type TemplateValues,
} from '@phaseline/domain';
import { hasToolName } from './compile-guards.js';
import type { GuardDecision, GuardEvent } from './guard-input.js';
import { normaliseGuardedPath, normalisePathArguments } from './normalise-paths.js';

/** What a rule reads. The same input always has the same decision. */
export interface RuleInput {
  readonly event: GuardEvent;
  readonly state: PhaseState;
  /** Arguments of the call with paths in normal form. */
  readonly args: NonNullable<GuardEvent['arguments']>;
  /** Texts of the files that `listRuleFiles` names, by content hash. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Thrown if a condition cannot be decided, for example because a file is too large to be read. */
export class UndecidableRule extends Error {}

export function buildRuleInput(event: GuardEvent, state: PhaseState): RuleInput {
  return { ...buildRuleFacts(event, state), state, texts: new Map() };
}

/** The part of the input of a rule that does not change during a phase, but for the event. */
type RuleFacts = Pick<RuleInput, 'event' | 'args'> & { readonly state: Pick<PhaseState, 'start'> };

/** Builds what `matchesWithoutFiles` reads. */
export function buildRuleFacts(event: GuardEvent, { start }: Pick<PhaseState, 'start'>): RuleFacts {
  return { event, state: { start }, args: normalisePathArguments(event.arguments ?? {}) };
}

/** Whether the conditions hold that need no file. A rule for which they do not hold need not be asked further. */
export function matchesWithoutFiles({ when }: Rule, input: RuleFacts): boolean {
  return matchesFacts(when, input);
}

/** The files whose texts a rule needs, by content hash with one of their paths. */
export function listRuleFiles({ when }: Rule, input: RuleInput): ReadonlyMap<string, string> {
  const needed = new Map<string, string>();
  const visit = (condition: RuleCondition): void => {
    const { file, checks, all = [], any = [], not } = condition;
    const found = file && (file.lines !== undefined || file.matches !== undefined) ? findFile(file, input) : undefined;
    if (found) needed.set(found.entry.hash, found.path);
    if (checks) for (const [hash, path] of listNeededTexts(checks, input.state)) needed.set(hash, path);
    for (const inner of [...all, ...any, ...(not ? [not] : [])]) visit(inner);
  };
  visit(when);
  return needed;
}

/**
 * Decides with a rule. Returns what it does, or `undefined` if its conditions do not hold. Throws UndecidableRule if that cannot be
 * determined.
 */
export function evaluateRule(rule: Rule, input: RuleInput): Omit<GuardDecision, 'guard'> | undefined {
  if (!matchesCondition(rule.when, input)) return undefined;
  const values = buildValues(input);
  const { then } = rule;
  if ('context' in then) return { kind: 'context', context: fillText(then.context, values) };
  if ('amend' in then) {
    const changed = Object.entries(then.amend).map(([name, value]) => [name, fillArgument(value, values)] as const);
    const args = { ...input.event.arguments, ...Object.fromEntries(changed) };
    return { kind: 'amend', arguments: args, reason: fillText(then.reason, values) };
  }
  const suggest = then.suggest === undefined ? {} : { suggest: fillText(then.suggest, values) };
  if ('deny' in then) return { kind: 'deny', reason: fillText(then.deny, values), ...suggest };
  return { kind: 'ask', reason: fillText(then.ask, values), ...suggest };
}

function fillArgument(value: JsonValue, values: TemplateValues): JsonValue {
  const filled = typeof value === 'string' ? fillTemplate(value, values) : value;
  if (filled === undefined) throw new UndecidableRule(`an argument that ${JSON.stringify(value)} names is absent`);
  return filled;
}

function buildValues({ event, state, args }: RuleInput): TemplateValues {
  const { agent, state: name, kind } = state.start.identity;
  return { agent: agent.name, state: name, phaseKind: kind, tool: event.tool, args };
}

function matchesCondition(condition: RuleCondition, input: RuleInput): boolean {
  const { file, checks, all = [], any, not } = condition;
  return (
    matchesFacts(condition, input) &&
    all.every((inner) => matchesCondition(inner, input)) &&
    (any === undefined || any.some((inner) => matchesCondition(inner, input))) &&
    (not === undefined || !matchesCondition(not, input)) &&
    (file === undefined || matchesFile(file, input)) &&
    (checks === undefined || evaluateChecks(checks, buildCheckInput(input.state, input.texts)).kind === 'holds')
  );
}

/** Checks the conditions about the phase and the call themselves, without those that contain others. */
function matchesFacts(condition: RuleCondition, { event, state, args }: RuleFacts): boolean {
  const { agent, state: name, kind } = state.start.identity;
  const matches = (matcher: Matcher | undefined, value: string | undefined): boolean =>
    matcher === undefined || isMatch(matcher, value);
  return (
    (condition.tool === undefined || (event.tool !== undefined && hasToolName(condition.tool, event.tool))) &&
    (condition.point === undefined || [condition.point].flat().includes(event.point)) &&
    (condition.phaseKind === undefined || condition.phaseKind === kind) &&
    matches(condition.agent, agent.name) &&
    matches(condition.state, name) &&
    matches(condition.todo, event.todo?.content) &&
    matches(condition.prompt, event.prompt) &&
    matches(condition.outcome, event.outcome) &&
    (condition.args === undefined || findMismatches(condition.args, args).length === 0) &&
    (condition.result === undefined || findMismatches(condition.result, event.result).length === 0)
  );
}

function findFile(
  file: RuleFile,
  input: RuleInput,
): { readonly path: string; readonly entry: PhaseState['tree'][string] } | undefined {
  const filled = fillTemplate(file.path, buildValues(input));
  if (typeof filled !== 'string') return undefined;
  const path = normaliseGuardedPath(filled);
  const { tree } = input.state;
  return Object.hasOwn(tree, path) ? { path, entry: tree[path]! } : undefined;
}

function matchesFile(file: RuleFile, input: RuleInput): boolean {
  const found = findFile(file, input);
  if (file.exists === false) return found === undefined;
  if (!found) return false;
  if (file.bytes !== undefined && !isMatch(file.bytes, found.entry.size)) return false;
  if (file.lines === undefined && file.matches === undefined) return true;
  const text = input.texts.get(found.entry.hash);
  if (text === undefined) throw new UndecidableRule(`${found.path} is too large to be read, or no text`);
  if (file.lines !== undefined && !isMatch(file.lines, countLines(text))) return false;
  return file.matches === undefined || matchesPattern(file.matches, text);
}

/** Counts without the copies that splitting would make. */
function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return text === '' || text.endsWith('\n') ? lines : lines + 1;
}
