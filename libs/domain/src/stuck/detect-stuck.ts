import { clip } from '@phaseline/basics';
import type { CallTrace } from './call-trace.js';
import type { ProgressWatch } from './watched-step.js';
import { traceSteps, type StepTrace } from './trace-steps.js';
import type { StuckPattern, StuckSettings } from './stuck-settings.js';

/** A pattern of being stuck that was found in a phase. */
export interface StuckFinding {
  readonly pattern: StuckPattern;
  /** What was seen, as a phrase for people: `the same call of read_file, 4 times, with the same result`. */
  readonly explanation: string;
  readonly from: number;
  readonly to: number;
  /**
   * Whether most of these steps (`REPEATING_SHARE`) asked only what had been asked before and got nothing new. If false, many steps
   * asked something new: that is not a circle, regardless of the answers, and the agent must not lose its work.
   */
  readonly isRepeating: boolean;
}

/** Longest cycle that is detected, in steps. */
const MAX_CYCLE_STEPS = 8;
/** Number of steps over which a phase is checked for sparse progress. */
const SPARSE_STEPS = 24;
/** Maximum share of those steps with something new for which progress still counts as none. */
const SPARSE_SHARE = 0.2;
/** Minimum number of repetitions of one call among calls that were all made before, regardless of the results of the others. */
const MIN_RECURRENCES = 8;
/** Minimum share of repeating steps in a circle. Below it, repeated steps are normal, such as checking a status between pieces of work. */
const REPEATING_SHARE = 0.75;
/** Minimum share of waiting steps for a streak to count as waiting. */
const WAITING_SHARE = 0.4;

/** Returns the most important finding about a phase, from its remembered steps. All calls of the last answer must have ended. */
export function detectStuck(watch: ProgressWatch | undefined, settings: StuckSettings): StuckFinding | undefined {
  const findings = findStuck(watch, settings);
  return findings.find(({ isRepeating }) => isRepeating) ?? findings[0];
}

/** Returns all findings about a phase, at most one per pattern. */
export function findStuck(watch: ProgressWatch | undefined, settings: StuckSettings): readonly StuckFinding[] {
  if (!watch || !settings.enabled) return [];
  const steps = traceSteps(watch.steps).filter(({ step }) => step > watch.streaksAfterStep);
  if (steps.length === 0) return [];
  const findings = [
    findMonologue(steps, settings),
    findErrors(steps, settings),
    findIdleStreak(steps, settings),
    findRecurringCall(steps, settings),
    findMissingProgress(watch, steps, settings),
  ];
  return findings.filter((found) => found !== undefined);
}

function findMonologue(steps: readonly StepTrace[], { monologue: threshold }: StuckSettings): StuckFinding | undefined {
  const streak = trailingSteps(steps, isSilent);
  if (threshold === 0 || streak.length < threshold) return undefined;
  return buildFinding('monologue', streak, `${streak.length} responses in a row without a tool call`);
}

/** Finds steps with only failures. Transient failures get more steps, and so do failures that differ from each other. */
function findErrors(steps: readonly StepTrace[], { errors: threshold }: StuckSettings): StuckFinding | undefined {
  const streak = trailingSteps(steps, (step) => isSilent(step) || step.traces.every(({ kind }) => kind === 'failed'));
  const failing = streak.filter((step) => !isSilent(step));
  const share = (holds: (trace: CallTrace) => boolean): number =>
    failing.filter(({ traces }) => traces.some(holds)).length / failing.length;
  const factor =
    share(({ isTransient }) => isTransient === true) > 0.5
      ? 2
      : share(({ novelty }) => novelty === 'new-failure') > 0.5
        ? 1.5
        : 1;
  const limit = threshold * factor;
  if (threshold === 0 || failing.length < limit) return undefined;
  return buildFinding(
    'errors',
    failing,
    `${failing.length} steps in a row in which all calls failed (${namesIn(failing)})`,
  );
}

/** Finds a streak of steps without anything new; its shape determines the pattern. */
function findIdleStreak(steps: readonly StepTrace[], settings: StuckSettings): StuckFinding | undefined {
  const streak = trailingSteps(steps, hasNothingNew);
  if (streak.length === 0) return undefined;
  // The step before the streak is its first occurrence: a repetition needs an original.
  const whole = steps.slice(-streak.length - 1);
  const waiting = streak.filter(isWaiting).length >= streak.length * WAITING_SHARE;
  const limit = (threshold: number): number =>
    threshold === 0 ? Infinity : waiting ? settings.waitingSteps : threshold;
  const keys = streak.map(keyOf);
  if (keys.every((key) => key === keys[0])) {
    const times = streak.length + (keyOf(whole[0]!) === keys[0] && whole.length > streak.length ? 1 : 0);
    if (times < limit(settings.sameCall)) return undefined;
    return buildFinding(
      'same-call',
      whole,
      `the same call of ${namesIn(streak)}, ${times} times, with the same result`,
    );
  }
  const period = periodOf(keys);
  if (period > 0 && streak.length >= Math.max(limit(settings.cycleRounds) - 1, 2) * (waiting ? 1 : period))
    return buildFinding('alternation', streak, `a cycle of ${period} steps (${namesIn(streak)}) with the same results`);
  const score = streak.reduce(
    (sum, step) => sum + (step.traces.some(({ novelty }) => novelty === 'weak') ? 0.5 : 1),
    0,
  );
  if (score < limit(settings.noNews)) return undefined;
  return buildFinding(
    'no-news',
    streak,
    `${streak.length} steps in a row (${namesIn(streak)}) that returned nothing new`,
  );
}

/** Finds a call that recurs among other repeated calls, even if those return something new each time, as a clock does. */
function findRecurringCall(steps: readonly StepTrace[], { sameCall }: StuckSettings): StuckFinding | undefined {
  if (sameCall === 0) return undefined;
  const streak = trailingSteps(steps, ({ traces }) =>
    traces.every(({ isFirst, files }) => !isFirst && files.length === 0),
  );
  const calls = streak
    .flatMap(({ traces }) => traces)
    .filter(({ kind, isTransient, novelty }) => kind !== 'waiting' && !isTransient && novelty === 'again');
  const counts = new Map<string, number>();
  for (const { name, exactFingerprint, result } of calls) {
    const key = `${name} ${exactFingerprint} ${result}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count < Math.max(MIN_RECURRENCES, sameCall)) continue;
    const evidence = `the same call of ${name}, ${count} times, with the same result`;
    return { ...buildFinding('same-call', streak, evidence), isRepeating: true };
  }
  return undefined;
}

function findMissingProgress(
  watch: ProgressWatch,
  steps: readonly StepTrace[],
  { noProgress: threshold }: StuckSettings,
): StuckFinding | undefined {
  if (threshold === 0) return undefined;
  const last = steps.at(-1)!.step;
  if (last - watch.streaksAfterStep >= threshold)
    return buildFinding('no-progress', steps, `${last - watch.lastProgressStep} steps without a completed todo`);
  const recent = steps.slice(-SPARSE_STEPS);
  if (recent.length < SPARSE_STEPS || recent.some(isWaiting)) return undefined;
  const fruitful = recent.filter((step) => !hasNothingNew(step)).length;
  if (fruitful > SPARSE_STEPS * SPARSE_SHARE) return undefined;
  return buildFinding(
    'no-progress',
    recent,
    `${SPARSE_STEPS} steps, ${fruitful} of which returned something new, without a completed todo`,
  );
}

function isSilent({ calls }: StepTrace): boolean {
  return calls === 0;
}

/** Whether the step returned nothing new. A failure of a new kind counts as new once. */
function hasNothingNew({ traces }: StepTrace): boolean {
  return traces.every(({ novelty }) => novelty === 'again' || novelty === 'weak');
}

function isWaiting({ traces }: StepTrace): boolean {
  return traces.some(({ kind, isTransient }) => kind === 'waiting' || isTransient);
}

/** Key that is equal for steps that do the same: tools, normalised arguments and kinds of results. */
function keyOf({ traces }: StepTrace): string {
  return traces
    .map(({ name, normalisedFingerprint, kind }: CallTrace) => `${name} ${normalisedFingerprint} ${kind}`)
    .sort()
    .join('\n');
}

/** Length of the cycle that the keys pass through at least twice; 0 if there is none. */
function periodOf(keys: readonly string[]): number {
  for (let period = 2; period <= MAX_CYCLE_STEPS && period * 2 <= keys.length; period += 1)
    if (keys.every((key, index) => index < period || key === keys[index - period])) return period;
  return 0;
}

function trailingSteps(steps: readonly StepTrace[], holds: (step: StepTrace) => boolean): readonly StepTrace[] {
  const broken = steps.findLastIndex((step) => !holds(step));
  return steps.slice(broken + 1);
}

const MAX_NAMED_TOOLS = 4;

function namesIn(steps: readonly StepTrace[]): string {
  const names = [...new Set(steps.flatMap(({ traces }) => traces.map(({ name }) => shortenName(name))))];
  if (names.length === 0) return 'no tool';
  return names.length > MAX_NAMED_TOOLS
    ? `${names.slice(0, MAX_NAMED_TOOLS).join(', ')} and ${names.length - MAX_NAMED_TOOLS} more`
    : names.join(', ');
}

/** Shortens a tool name: one that a model made up can have any length. */
function shortenName(name: string): string {
  return clip(name, 64) || '(no name)';
}

function buildFinding(pattern: StuckPattern, steps: readonly StepTrace[], evidence: string): StuckFinding {
  const repeating = steps.filter(onlyRepeats).length;
  return {
    pattern,
    explanation: evidence,
    from: steps[0]!.step,
    to: steps.at(-1)!.step,
    isRepeating: repeating >= steps.length * REPEATING_SHARE,
  };
}

/** Whether every call of the step repeated a question and got nothing new. True for a step without calls. */
function onlyRepeats({ traces }: StepTrace): boolean {
  return traces.every(({ isRepeated, novelty }) => isRepeated && novelty !== 'new');
}
