import type { JobId } from '@phaseline/contracts';
import { BranchBudget, BranchesStopped, type BranchStop } from '../point/branch-budget.js';
import type { Branch, BranchRunner } from '../point/branch.js';
import type { RecordedAnswer } from '../point/recorded-answer.js';

export interface BisectOptions {
  readonly jobId: JobId;
  /** All answers of the job, which did not complete. */
  readonly answers: readonly RecordedAnswer[];
  /** Branches that are run at most at each point. */
  readonly branches: number;
  /** Share of the branches of a point that must complete, for the point to pass. */
  readonly passRate: number;
  /** What all branches may cost together, in micro-USD. */
  readonly maxCostMicroUsd?: number;
}

/** A point of a job at which branches were run. */
export interface TestedPoint {
  /** Answers of the job that the branches share. */
  readonly answers: number;
  readonly hasPassed: boolean;
  readonly branches: readonly Branch[];
}

/** Which answer spoiled a job. */
export interface Bisection {
  /** In the order in which they were tested. */
  readonly tested: readonly TestedPoint[];
  /** The first answer after which branches no longer complete; undefined if the search was stopped. */
  readonly bad?: RecordedAnswer;
  /** Whether branches before the bad answer were seen to complete. Otherwise the job may be spoiled from its beginning. */
  readonly isConfirmed: boolean;
  readonly costMicroUsd: number;
  readonly stopped?: BranchStop;
}

/**
 * Finds the first answer of a job after which its branches no longer complete, by halving: at most log2(answers) points, rounded up, with at most
 * `branches` each. Branches of a point run at the same time, and no more of them than decide whether it passes.
 */
export async function bisect(
  { jobId, answers, branches, passRate, maxCostMicroUsd }: BisectOptions,
  runner: BranchRunner,
  onTested: (point: TestedPoint) => void = () => undefined,
): Promise<Bisection> {
  const budget = new BranchBudget(runner, maxCostMicroUsd);
  const tested: TestedPoint[] = [];
  // The job itself shows that it fails after its last answer.
  let [good, bad] = [0, answers.length];
  try {
    while (bad - good > 1) {
      const middle = Math.floor((good + bad) / 2);
      const point = await testPoint(middle);
      tested.push(point);
      onTested(point);
      if (point.hasPassed) good = middle;
      else bad = middle;
    }
  } catch (error) {
    if (!(error instanceof BranchesStopped)) throw error;
    return { tested, isConfirmed: false, costMicroUsd: budget.spentMicroUsd, stopped: error.stop };
  }
  const found = answers[bad - 1];
  return { tested, ...(found ? { bad: found } : {}), isConfirmed: good > 0, costMicroUsd: budget.spentMicroUsd };

  async function testPoint(shared: number): Promise<TestedPoint> {
    const toPass = Math.max(1, Math.ceil(branches * passRate));
    const toFail = branches - toPass + 1;
    const ended: Branch[] = [];
    for (;;) {
      const passed = ended.filter(({ status }) => status === 'completed').length;
      const failed = ended.length - passed;
      if (passed >= toPass || failed >= toFail)
        return { answers: shared, hasPassed: passed >= toPass, branches: ended };
      const next = Math.min(toPass - passed, toFail - failed);
      const requests = Array.from({ length: next }, (_, index) => ({
        jobId,
        position: answers[shared]!.before,
        candidate: {},
        isProbe: false,
        key: `bisect-${shared}-${ended.length + index + 1}`,
      }));
      ended.push(...(await budget.runAll(requests)));
    }
  }
}
