import type { VerifierCases } from '@phaseline/contracts';
import { shortenReason, type VerifierOutcome } from '../report/decide-outcome.js';
import { shortenName, type TestCase, type TestCounts } from '../report/report.js';
import { compareTests, type ComparedTests } from './compare-tests.js';

type CaseOutcome = TestCase['outcome'] | 'absent';

/** How a case of a feature ended in each of the runs. */
interface ProvedCase {
  readonly name: string;
  readonly now: CaseOutcome;
  readonly before: CaseOutcome;
  /** With the tests of now on the other files of the beginning; only for a test that the beginning lacks. */
  readonly mixed?: CaseOutcome;
}

export interface Proof {
  readonly proved: boolean;
  /** Why it is not proved, for the model, in at most 500 characters. */
  readonly reason: string;
  readonly cases: readonly ProvedCase[];
  /** The other tests, if both runs are complete. */
  readonly others?: ComparedTests;
  readonly baseline: { readonly outcome: VerifierOutcome; readonly reason: string };
}

/** A run, as far as proofs read it. */
interface ComparedRun {
  readonly outcome: VerifierOutcome;
  readonly reason: string;
  readonly tests?: TestCounts | undefined;
  readonly cases?: readonly TestCase[] | undefined;
  readonly isComplete?: boolean | undefined;
}

interface Runs {
  readonly now: ComparedRun;
  readonly baseline: ComparedRun;
  readonly mixed?: ComparedRun;
  /** Number of tests that have to run now. */
  readonly minTests: number;
}

/** Maximum number of cases that a reason names. */
const MAX_NAMED = 3;

/**
 * Decides whether cases prove a feature: all of them pass now, at least one did not before, and no other test that passed before is worse. A
 * test that the beginning lacks counts if it does not pass on the files of the beginning either. `needsMixed`: if inputs were added, only a run
 * with these tests on these files can decide that.
 */
export function judgeCases(cases: VerifierCases, runs: Runs): { readonly proof: Proof; readonly needsMixed: boolean } {
  const { baseline, mixed } = runs;
  const found = listCases(cases, runs);
  const others = compareOthers(cases, runs);
  const obstacle = findRunObstacle(cases, runs.now, runs.minTests) ?? findObstacle(others, runs);
  const isDecided = obstacle !== undefined || found.some(({ before }) => before === 'failed');
  const problem = isDecided ? obstacle : explainAdded(found, runs);
  const proof: Proof = {
    proved: problem === undefined,
    reason: shortenReason(problem ?? ''),
    cases: found,
    ...(others ? { others } : {}),
    baseline: { outcome: baseline.outcome, reason: baseline.reason },
  };
  const needsMixed = !isDecided && !mixed && cases.tests !== undefined && listAdded(found).length > 0;
  return { proof, needsMixed };
}

/** Explains why a run on the claimed files proves nothing, whatever was before; `undefined` if it may prove the feature. */
export function findRunObstacle(cases: VerifierCases, now: ComparedRun, minTests: number): string | undefined {
  if (!isReadable(cases, now, minTests)) return now.reason;
  if (!now.cases) return 'its outcome is not read from a report that names cases, so it proves nothing';
  const found = listCases(cases, { now, baseline: now });
  const absent = found.filter((one) => one.now === 'absent');
  if (absent.length > 0) return `the run has no such case: ${nameCases(absent)}`;
  const failed = found.filter((one) => one.now !== 'passed');
  return failed.length > 0 ? `these cases did not pass: ${nameCases(failed)}` : undefined;
}

/**
 * Whether the cases of a run decide instead of its outcome. A run that failed is read by its tests only if failed tests are the reason: one
 * that was stopped or killed, or that ended with an error after all tests had passed, lacks something that its report does not name.
 */
function isReadable({ tests: named }: VerifierCases, now: ComparedRun, minTests: number): boolean {
  if (now.outcome !== 'failed') return now.outcome === 'passed';
  const { failed = 0, ran = 0 } = now.tests ?? {};
  return named !== undefined && now.isComplete === true && failed > 0 && ran >= minTests;
}

/** Explains why the files of the beginning and the claimed ones cannot be compared, or which of the other tests is worse. */
function findObstacle(others: ComparedTests | undefined, { now, baseline }: Runs): string | undefined {
  if (baseline.outcome === 'error') return `the files of the beginning could not be verified: ${baseline.reason}`;
  if (!others && now.outcome !== 'passed')
    return `${now.reason} They cannot be compared with the files of the beginning: ${baseline.reason}`;
  if (!others || others.worse.length === 0) return undefined;
  return `these tests passed before the work began, and do not now: ${nameCases(others.worse.map((name) => ({ name })))}`;
}

/** Compares the tests that the feature does not name; `undefined` if one of the runs may lack some of its tests. */
function compareOthers({ tests }: VerifierCases, { now, baseline }: Runs): ComparedTests | undefined {
  if (!tests || !now.isComplete || !baseline.isComplete) return undefined;
  const named = new Set(tests.map(shortenName));
  const pick = ({ cases = [] }: ComparedRun): readonly TestCase[] => cases.filter(({ name }) => !named.has(name));
  return compareTests(pick(baseline), pick(now));
}

function listAdded(found: readonly ProvedCase[]): readonly ProvedCase[] {
  return found.filter(({ before }) => before === 'absent');
}

/** Explains why no test that the beginning lacks proves the work; `undefined` if one does. */
function explainAdded(found: readonly ProvedCase[], { now, baseline, mixed }: Runs): string | undefined {
  const added = listAdded(found);
  if (added.length === 0) return explainGreen(found);
  // Without added inputs, the tests are in files of the beginning: one that cannot be loaded there reports no case.
  if (!mixed && baseline.outcome === 'failed' && hasNewFailure(baseline, now)) return undefined;
  if (!mixed) return `these tests are in no file that was added as an input of the verifier: ${nameCases(added)}`;
  if (mixed.outcome === 'error') return `the tests could not be run on the files of the beginning: ${mixed.reason}`;
  if (added.some((one) => one.mixed === 'failed')) return undefined;
  const unloaded = added.filter((one) => one.mixed === 'absent');
  if (unloaded.length > 0 && mixed.outcome === 'failed' && hasNewFailure(mixed, baseline)) return undefined;
  const green = added.filter((one) => one.mixed === 'passed');
  if (green.length > 0)
    return `these tests also pass on the files with which the work began, so they prove nothing: ${nameCases(green)}`;
  return `nothing shows that these tests fail on the files with which the work began: ${nameCases(added)}`;
}

/**
 * Whether a run fails with more than another one does. A test file that cannot be loaded reports no case, so the named test is absent; but it is
 * also absent if the verifier never reads the file, and then both runs fail in the same way.
 */
function hasNewFailure(run: ComparedRun, other: ComparedRun): boolean {
  if (other.outcome === 'passed' || !run.cases || !other.cases) return true;
  const known = new Set(other.cases.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name));
  return run.cases.some(({ name, outcome }) => outcome === 'failed' && !known.has(name));
}

function explainGreen(found: readonly ProvedCase[]): string {
  const skipped = found.filter(({ before }) => before === 'skipped');
  return skipped.length > 0
    ? `these cases did not fail before the work began, some were only skipped, so they prove nothing: ${nameCases(found)}`
    : `these cases passed before the work began, so they prove nothing: ${nameCases(found)}`;
}

function nameCases(cases: readonly { readonly name: string }[]): string {
  const names = cases.slice(0, MAX_NAMED).map(({ name }) => name.slice(0, 100));
  return cases.length > MAX_NAMED ? `${names.join('; ')} and ${cases.length - MAX_NAMED} more` : names.join('; ');
}

function listCases(
  { tests, requests, queries }: VerifierCases,
  { now, baseline, mixed }: Omit<Runs, 'minTests'>,
): readonly ProvedCase[] {
  if (tests)
    return tests.map((given): ProvedCase => {
      const name = shortenName(given);
      const before = findTest(baseline, name);
      return {
        ...{ name, now: findTest(now, name), before },
        ...(before === 'absent' && mixed ? { mixed: findTest(mixed, name) } : {}),
      };
    });
  const names =
    requests?.map(({ method, url }) => `${method} ${new URL(url).pathname}`) ??
    queries?.map((_query, index) => `query ${index + 1}`);
  return (names ?? []).map((name, index): ProvedCase => {
    const before = findNth(baseline, index);
    // A service that was not there before answered nothing.
    const missing = before === 'absent' && baseline.outcome === 'failed';
    return { name: name.slice(0, 200), now: findNth(now, index), before: missing ? 'failed' : before };
  });
}

/** How the tests of a name ended: passed only if all of them did. */
function findTest({ cases = [] }: ComparedRun, name: string): CaseOutcome {
  const outcomes = cases.filter((one) => one.name === name).map(({ outcome }) => outcome);
  if (outcomes.length === 0) return 'absent';
  return (
    outcomes.find((outcome) => outcome === 'failed') ?? outcomes.find((outcome) => outcome === 'skipped') ?? 'passed'
  );
}

function findNth({ cases = [] }: ComparedRun, index: number): CaseOutcome {
  return cases[index]?.outcome ?? 'absent';
}
