import type { GuardLimits, PromotionBasis } from '@phaseline/contracts';

/** What happened since a version is in production. */
export interface GuardOutcomes {
  /** Times that a person overrode the guard in a job. */
  readonly overrides: number;
  /** Failed jobs in which the version denied, amended or asked with effect. */
  readonly failedJobs: number;
}

/** The limit that these outcomes exceed, as the basis of a rollback; `undefined` if none is exceeded. */
export function findExceededLimit(
  { maxOverrides, maxFailedJobs }: GuardLimits,
  { overrides, failedJobs }: GuardOutcomes,
): PromotionBasis | undefined {
  if (maxOverrides !== undefined && overrides > maxOverrides)
    return { cause: 'outcomes_worse', figure: `${count(overrides, 'override')}, more than ${maxOverrides}` };
  if (maxFailedJobs !== undefined && failedJobs > maxFailedJobs)
    return { cause: 'outcomes_worse', figure: `${count(failedJobs, 'failed job')}, more than ${maxFailedJobs}` };
  return undefined;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
