import type { JobWait } from './job-view.js';

/** Orders of a list of jobs: by submission, by cost (highest first), or by waiting time (longest first). */
export type JobSort = 'newest' | 'oldest' | 'cost' | 'waiting';

/** Conditions on jobs, combined with AND. Several values of one condition are combined with OR, except labels. */
export interface JobConditions {
  /** Jobs with any of these statuses. */
  readonly statuses?: readonly string[] | undefined;
  readonly agents?: readonly string[] | undefined;
  /** Only jobs of these tenants. */
  readonly tenants?: readonly string[] | undefined;
  /** Jobs that have all these labels, with the value if one is given. */
  readonly labels?: readonly { readonly key: string; readonly value?: string }[] | undefined;
  /** ISO times: submitted at or after, and before. */
  readonly createdSince?: string | undefined;
  readonly createdBefore?: string | undefined;
  /** ISO time: the last event was before it. */
  readonly updatedBefore?: string | undefined;
  readonly minCostMicroUsd?: number | undefined;
  readonly maxCostMicroUsd?: number | undefined;
  /** Jobs that wait for any of these. */
  readonly waitsFor?: readonly JobWait['kind'][] | undefined;
  /** Jobs that have waited for at least this many seconds. */
  readonly waitingSeconds?: number | undefined;
  /**
   * Text to find, in any case: the beginning of the job id, or any part of the agent, the name of the phase, a label as
   * `key=value`, the summary of the result or the message of the failure.
   */
  readonly text?: string | undefined;
}

/** The place of a job in a list: where the next page begins. */
export interface JobPlace {
  readonly position: number;
  /** Cost in micro-USD if sorted by cost; beginning of the wait, as ISO time, if sorted by waiting time. */
  readonly value?: number | string;
}

export interface JobFilter extends JobConditions {
  /** Default: newest. Sorted by waiting time, only jobs that wait are listed. */
  readonly sort?: JobSort | undefined;
  /** Only jobs after this place; pass `next` of the previous page. */
  readonly after?: JobPlace | undefined;
  readonly limit: number;
  /** How many jobs one page reads at most when a condition has no index; the page may then be short. Default 10,000. */
  readonly maxRead?: number | undefined;
}
