import { hasConditions, type JobFilterOptions } from '../job/job-filter.js';

/** Which jobs get a request, and how. */
export interface ControlFilter extends JobFilterOptions {
  readonly all?: boolean;
  /** Does not ask. */
  readonly yes?: boolean;
  /** Only shows which jobs are selected. */
  readonly dryRun?: boolean;
}

/** Whether the options select jobs, so that no ids are needed. */
export function selectsJobs(filter: ControlFilter): boolean {
  return filter.all === true || hasConditions(filter);
}
