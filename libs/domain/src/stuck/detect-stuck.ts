import type { CallTrace } from './call-trace.js';
import type { ProgressWatch } from './progress-watch.js';
import { stepTraces, type StepTrace } from './step-traces.js';
import type { StuckPattern, StuckSettings } from './stuck-settings.js';

/** What is wrong with a phase. */
export interface StuckFinding {
  readonly pattern: StuckPattern;
  /** What was seen, as a phrase for people: `the same call of read_file, 4 times, with the same result`. */
  readonly evidence: string;
  readonly from: number;
  readonly to: number;
  /**
   * Most of these steps (`REPEATING_SHARE`) asked only what had been asked before, and got nothing new. Where this is false, many steps asked
   * something of their own: that is no circle whatever the answers are, and must not cost the agent its work.
   */
  readonly repeats: boolean;
}

/** Longest cycle that is looked for, in steps. */
const LONGEST_CYCLE = 8;
/** In so many steps … */
const THIN_STEPS = 24;
/** … at most this share may bring something new before it counts as none. */
const THIN_SHARE = 0.2;
/** The same call, so many times among calls that were all made before, whatever those bring. */
const RECURRENCES = 8;
/** With a smaller share of repeating steps, the phase does not go in circles: a status is often checked between pieces of work. */
const REPEATING_SHARE = 0.75;
/** From this share of waiting on, a streak is waiting. */
const WAITING_SHARE = 0.4;

/** The most important finding about a phase, decided by what it remembers of its steps. All calls of the last answer must have ended. */
export function detectStuck(watch: ProgressWatch | undefined, settings: StuckSettings): StuckFinding | undefined {
  const findings = findStuck(watch, settings);
  return findings.find(({ repeats }) => repeats) ?? findings[0];
}

/** All findings about a phase, at most one per pattern. */
export function findStuck(watch: ProgressWatch | undefined, settings: StuckSettings): readonly StuckFinding[] {
  if (!watch || !settings.enabled) return [];
  const steps = stepTraces(watch.steps).filter(({ step }) => step > watch.from);
  if (steps.length === 0) return [];
  const findings = [
    monologue(steps, settings),
    errors(steps, settings),
    idle(steps, settings),
    recurring(steps, settings),
    noProgress(watch, steps, settings),
  ];
  return findings.filter((found) => found !== undefined);
}

function monologue(steps: readonly StepTrace[], { monologue: most }: StuckSettings): StuckFinding | undefined {
  const streak = trailing(steps, isSilent);
  if (most === 0 || streak.length < most) return undefined;
  return finding('monologue', streak, `${streak.length} answers in a row without a call`);
}

/** Only failures. Those that pass by themselves get more time, and so do those of which each says something else. */
function errors(steps: readonly StepTrace[], { errors: most }: StuckSettings): StuckFinding | undefined {
  const streak = trailing(steps, (step) => isSilent(step) || step.traces.every(({ kind }) => kind === 'failed'));
  const failing = streak.filter((step) => !isSilent(step));
  const share = (holds: (trace: CallTrace) => boolean): number =>
    failing.filter(({ traces }) => traces.some(holds)).length / failing.length;
  const patience =
    share(({ passing }) => passing === true) > 0.5 ? 2 : share(({ worth }) => worth === 'failed-anew') > 0.5 ? 1.5 : 1;
  const limit = most * patience;
  if (most === 0 || failing.length < limit) return undefined;
  return finding(
    'errors',
    failing,
    `${failing.length} steps in a row in which every call failed (${namesIn(failing)})`,
  );
}

/** Steps in a row that brought nothing; their shape says which pattern it is. */
function idle(steps: readonly StepTrace[], settings: StuckSettings): StuckFinding | undefined {
  const streak = trailing(steps, bringsNothing);
  if (streak.length === 0) return undefined;
  // The step before the streak is the first of its kind: what comes again was there once.
  const whole = steps.slice(-streak.length - 1);
  const waiting = streak.filter(isWaiting).length >= streak.length * WAITING_SHARE;
  const limit = (threshold: number): number => (threshold === 0 ? Infinity : waiting ? settings.patience : threshold);
  const keys = streak.map(keyOf);
  if (keys.every((key) => key === keys[0])) {
    const times = streak.length + (keyOf(whole[0]!) === keys[0] && whole.length > streak.length ? 1 : 0);
    if (times < limit(settings.sameCall)) return undefined;
    return finding('same-call', whole, `the same call of ${namesIn(streak)}, ${times} times, with the same result`);
  }
  const period = periodOf(keys);
  if (period > 0 && streak.length >= Math.max(limit(settings.cycleRounds) - 1, 2) * (waiting ? 1 : period))
    return finding('alternation', streak, `a cycle of ${period} steps (${namesIn(streak)}) with the same results`);
  const score = streak.reduce((sum, step) => sum + (step.traces.some(({ worth }) => worth === 'weak') ? 0.5 : 1), 0);
  if (score < limit(settings.noNews)) return undefined;
  return finding('no-news', streak, `${streak.length} steps in a row (${namesIn(streak)}) that brought nothing new`);
}

/** The same call over and over among others that were all made before: those may bring something each time, a clock does. */
function recurring(steps: readonly StepTrace[], { sameCall }: StuckSettings): StuckFinding | undefined {
  if (sameCall === 0) return undefined;
  const streak = trailing(steps, ({ traces }) => traces.every(({ tried, files }) => !tried && files.length === 0));
  const calls = streak
    .flatMap(({ traces }) => traces)
    .filter(({ kind, passing, worth }) => kind !== 'waiting' && !passing && worth === 'again');
  const counts = new Map<string, number>();
  for (const { name, exact, result } of calls) {
    const key = `${name} ${exact} ${result}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count < Math.max(RECURRENCES, sameCall)) continue;
    const evidence = `the same call of ${name}, ${count} times, with the same result`;
    return { ...finding('same-call', streak, evidence), repeats: true };
  }
  return undefined;
}

function noProgress(
  watch: ProgressWatch,
  steps: readonly StepTrace[],
  { noProgress: most }: StuckSettings,
): StuckFinding | undefined {
  if (most === 0) return undefined;
  const last = steps.at(-1)!.step;
  if (last - watch.from >= most)
    return finding('no-progress', steps, `${last - watch.progressAt} steps without a todo completed`);
  const thin = steps.slice(-THIN_STEPS);
  if (thin.length < THIN_STEPS || thin.some(isWaiting)) return undefined;
  const fruitful = thin.filter((step) => !bringsNothing(step)).length;
  if (fruitful > THIN_STEPS * THIN_SHARE) return undefined;
  return finding(
    'no-progress',
    thin,
    `${THIN_STEPS} steps of which ${fruitful} brought something new, and no todo completed`,
  );
}

function isSilent({ calls }: StepTrace): boolean {
  return calls === 0;
}

/** A failure of a new kind is news once, but not work. */
function bringsNothing({ traces }: StepTrace): boolean {
  return traces.every(({ worth }) => worth === 'again' || worth === 'weak');
}

function isWaiting({ traces }: StepTrace): boolean {
  return traces.some(({ kind, passing }) => kind === 'waiting' || passing);
}

/** The same for steps that do the same: their tools, with the arguments as far as these matter, and what came of it. */
function keyOf({ traces }: StepTrace): string {
  return traces
    .map(({ name, loose, kind }: CallTrace) => `${name} ${loose} ${kind}`)
    .sort()
    .join('\n');
}

/** The length of the cycle that the keys go through, at least twice; 0 where there is none. */
function periodOf(keys: readonly string[]): number {
  for (let period = 2; period <= LONGEST_CYCLE && period * 2 <= keys.length; period += 1)
    if (keys.every((key, index) => index < period || key === keys[index - period])) return period;
  return 0;
}

function trailing(steps: readonly StepTrace[], holds: (step: StepTrace) => boolean): readonly StepTrace[] {
  const broken = steps.findLastIndex((step) => !holds(step));
  return steps.slice(broken + 1);
}

const NAMED = 4;

function namesIn(steps: readonly StepTrace[]): string {
  const names = [...new Set(steps.flatMap(({ traces }) => traces.map(({ name }) => shown(name))))];
  if (names.length === 0) return 'no tool';
  return names.length > NAMED
    ? `${names.slice(0, NAMED).join(', ')} and ${names.length - NAMED} more`
    : names.join(', ');
}

/** A name that a model made up can be anything. */
function shown(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64).toWellFormed()}…` : name || '(no name)';
}

function finding(pattern: StuckPattern, steps: readonly StepTrace[], evidence: string): StuckFinding {
  const repeating = steps.filter(onlyRepeats).length;
  return {
    pattern,
    evidence,
    from: steps[0]!.step,
    to: steps.at(-1)!.step,
    repeats: repeating >= steps.length * REPEATING_SHARE,
  };
}

/** Every call of the step asked what had been asked before and got nothing new; a step without calls repeats as well. */
function onlyRepeats({ traces }: StepTrace): boolean {
  return traces.every(({ repeated, worth }) => repeated && worth !== 'new');
}
