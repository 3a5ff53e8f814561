/**
 * What all branches may cost, in micro-USD: the given amount, else as if each cost as much as its whole job. Undefined if the jobs cost nothing, as with
 * a model that is free.
 */
export function chooseBudget(
  givenUsd: number | undefined,
  jobsCostMicroUsd: number,
  branchesPerJob: number,
): number | undefined {
  if (givenUsd !== undefined) return Math.round(givenUsd * 1_000_000);
  return jobsCostMicroUsd === 0 ? undefined : jobsCostMicroUsd * branchesPerJob;
}
