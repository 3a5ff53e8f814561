import type { Guard, GuardOverride, GuardRef, PhaseState } from '@phaseline/domain';
import { compileGuards, type PureGuard } from './compile-guards.js';
import { endFirstRound, endSecondRound, type GuardOutcome, type ParseAmended } from './decide-in-rounds.js';
import {
  buildRuleFacts,
  buildRuleInput,
  evaluateRule,
  listRuleFiles,
  matchesWithoutFiles,
  UndecidableRule,
  type RuleInput,
} from './evaluate-rule.js';
import type { GuardDecision, GuardEvent, ReadTexts } from './guard-input.js';
import { FailedScript, runScriptGuard } from './run-script-guard.js';

/** What pure guards need besides the event and the state of the phase. */
export interface PureGuardParts {
  readonly readTexts: ReadTexts;
  readonly parseAmended: ParseAmended;
  /** Overrides that have not expired. */
  readonly overrides?: readonly GuardOverride[];
}

/**
 * Asks all rules and scripts about an event, in order of scope and name. If they amend the arguments, all of them see the result once more.
 */
export async function decidePureGuards(
  guards: readonly Guard[] | undefined,
  event: GuardEvent,
  state: PhaseState,
  parts: PureGuardParts,
): Promise<GuardOutcome> {
  const first = endFirstRound(await askPureGuards(guards, event, state, parts), parts.parseAmended);
  if (first.kind === 'decided') return first.outcome;
  const amended = { ...event, arguments: first.amendment.arguments };
  const second = await askPureGuards(guards, amended, state, parts);
  const { merged, recorded } = endSecondRound(second, first.amendment, parts.parseAmended);
  return { merged, recorded: [...first.recorded, ...recorded] };
}

/** Asks all rules and scripts once, without a second round. For a caller that also asks guards of other kinds. */
export async function askPureGuards(
  guards: readonly Guard[] | undefined,
  event: GuardEvent,
  state: PhaseState,
  { readTexts, overrides = [] }: Omit<PureGuardParts, 'parseAmended'>,
): Promise<readonly GuardDecision[]> {
  const asked = guards && guards.length > 0 ? compileGuards(guards).find(event.point, event.tool) : [];
  if (asked.length === 0) return [];
  const input = buildRuleInput(event, state);
  const matching = asked.filter((guard) => guard.kind !== 'rule' || matchesWithoutFiles(guard.rule, input));
  const texts = await readTexts(listFiles(matching, input));
  const decisions: GuardDecision[] = [];
  for (const guard of matching) {
    const decision = await askGuard(guard, { ...input, texts });
    if (!decision) continue;
    const override = findOverride(guard.ref, overrides);
    decisions.push({ guard: guard.ref, ...decision, ...(override ? { override } : {}) });
  }
  return decisions;
}

/**
 * Whether a rule or a script among these may decide something about an event, as far as that is known without the files and calls of the phase.
 * If it returns false, asking them decides nothing.
 */
export function mayDecideAbout(guards: readonly Guard[], event: GuardEvent, phase: Pick<PhaseState, 'start'>): boolean {
  const asked = compileGuards(guards).find(event.point, event.tool);
  if (asked.length === 0) return false;
  const facts = buildRuleFacts(event, phase);
  return asked.some((guard) => guard.kind !== 'rule' || matchesWithoutFiles(guard.rule, facts));
}

function listFiles(guards: readonly PureGuard[], input: RuleInput): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const guard of guards)
    if (guard.kind === 'rule') for (const [hash, path] of listRuleFiles(guard.rule, input)) files.set(hash, path);
  return files;
}

async function askGuard(guard: PureGuard, input: RuleInput): Promise<Omit<GuardDecision, 'guard'> | undefined> {
  try {
    if (guard.kind === 'rule') return evaluateRule(guard.rule, input);
    if (guard.kind === 'unreadable')
      return buildFailed(guard, 'unreadable', 'it was written for a newer release and cannot be read by this release');
    return await runScriptGuard(guard.code, input.event, input.state);
  } catch (error) {
    if (error instanceof UndecidableRule) return buildFailed(guard, 'undecidable', error.message);
    if (error instanceof FailedScript) return buildFailed(guard, error.code, error.message);
    throw error;
  }
}

/** The decision of a guard that could not decide: it fails closed, unless it says `onFailure: continue`. */
function buildFailed(
  { ref, onFailure }: { readonly ref: GuardRef; readonly onFailure: Guard['onFailure'] },
  code: string,
  message: string,
): Omit<GuardDecision, 'guard'> {
  const failure = { code, message: message.slice(0, 500) };
  if (onFailure === 'continue') return { kind: 'allow', failure };
  return { kind: 'deny', reason: `the guard ${ref.name} could not decide: ${failure.message}`, failure };
}

/** The override of a guard that applies; `undefined` if there is none. */
export function findOverride(
  { name, scope }: GuardRef,
  overrides: readonly GuardOverride[],
): GuardDecision['override'] | undefined {
  const found = overrides.find((override) => override.guard === name && override.scope === scope);
  return found && { actor: found.actor, reason: found.reason, expiresAt: found.expiresAt };
}
