import type { Branch, BranchRequest, BranchRunner } from './branch.js';

/** Why branches were not run to the end. */
export type BranchStop =
  | { readonly reason: 'budget' }
  /** A branch waits for a person, and so says nothing. */
  | { readonly reason: 'waits'; readonly branch: Branch };

/** Thrown when the rest of the branches is not run. */
export class BranchesStopped extends Error {
  override readonly name = 'BranchesStopped';

  constructor(readonly stop: BranchStop) {
    super(`branches stopped: ${stop.reason}`);
  }
}

/** Runs branches within a budget that they share. */
export class BranchBudget {
  spentMicroUsd = 0;

  constructor(
    private readonly runner: BranchRunner,
    private readonly maxCostMicroUsd: number | undefined,
  ) {}

  /**
   * Runs branches at the same time, each with an equal part of what is left. Throws BranchesStopped if nothing is left, if one reaches its part, or if
   * one waits for a person.
   */
  async runAll(requests: readonly BranchRequest[]): Promise<readonly Branch[]> {
    const part = this.divide(requests.length);
    const limited = requests.map((request) => (part === undefined ? request : { ...request, maxCostMicroUsd: part }));
    const branches = await Promise.all(limited.map((request) => this.runner.run(request)));
    this.spentMicroUsd += branches.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0);
    const waiting = branches.find(({ status }) => status.startsWith('waiting-') || status === 'paused');
    if (waiting) throw new BranchesStopped({ reason: 'waits', branch: waiting });
    if (part !== undefined && branches.some(({ code }) => code === COST_LIMIT))
      throw new BranchesStopped({ reason: 'budget' });
    return branches;
  }

  private divide(parts: number): number | undefined {
    if (this.maxCostMicroUsd === undefined) return undefined;
    const part = Math.floor((this.maxCostMicroUsd - this.spentMicroUsd) / parts);
    if (part <= 0) throw new BranchesStopped({ reason: 'budget' });
    return part;
  }
}

/** Failure of a job that has spent what it may cost. */
const COST_LIMIT = 'cost_limit';
