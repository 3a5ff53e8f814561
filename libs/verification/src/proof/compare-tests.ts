import type { TestCase } from '../report/report.js';

/** The tests that a feature does not name, on the files of the beginning and now. */
export interface ComparedTests {
  /** Number of names whose tests passed before. */
  readonly passedBefore: number;
  /** Number of tests that fail now. */
  readonly failed: number;
  /** Names of which fewer tests pass than before, or more fail or are skipped; at most `MAX_WORSE`. */
  readonly worse: readonly string[];
}

/** Maximum number of names that a result keeps. */
const MAX_WORSE = 20;

/**
 * Compares the tests of two complete runs by name. What failed before may fail. Several tests may have one name: their outcomes are counted,
 * so that a new test does not stand in for one that fails now.
 */
export function compareTests(before: readonly TestCase[], now: readonly TestCase[]): ComparedTests {
  const [earlier, current] = [countByName(before), countByName(now)];
  const passed = [...earlier].filter(([, counts]) => counts.passed > 0);
  const worse = passed.filter(([name, counts]) => {
    const { passed: passes = 0, failed = 0, skipped = 0 } = current.get(name) ?? {};
    return passes < counts.passed || failed > counts.failed || skipped > counts.skipped;
  });
  return {
    passedBefore: passed.length,
    failed: now.filter(({ outcome }) => outcome === 'failed').length,
    worse: worse.slice(0, MAX_WORSE).map(([name]) => name),
  };
}

type Counts = Record<TestCase['outcome'], number>;

function countByName(cases: readonly TestCase[]): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>();
  for (const { name, outcome } of cases) {
    const known = counts.get(name) ?? { passed: 0, failed: 0, skipped: 0 };
    known[outcome] += 1;
    counts.set(name, known);
  }
  return counts;
}
