import type { JobConditions, ListJobsQuery } from '@phaseline/client';
import type { JobStatus } from '@phaseline/contracts';

/** Options that select jobs; see `addJobFilterOptions`. */
export interface JobFilterOptions {
  readonly status?: readonly JobStatus[];
  readonly agent?: readonly string[];
  readonly tenant?: readonly string[];
  readonly label?: readonly string[];
  readonly text?: string;
  /** ISO times. */
  readonly since?: string;
  readonly before?: string;
  readonly idleSince?: string;
  /** In US dollars. */
  readonly minCost?: number;
  readonly maxCost?: number;
  readonly waitsFor?: readonly NonNullable<JobConditions['waitsFor']>[number][];
  /** In milliseconds. */
  readonly longerThan?: number;
}

/** Converts the options to conditions of the API. */
export function toConditions(options: JobFilterOptions): Partial<ListJobsQuery> {
  const { status, agent, tenant, label, text, since, before, idleSince, minCost, maxCost, waitsFor, longerThan } =
    options;
  return {
    statuses: status && [...status],
    agents: agent && [...agent],
    tenants: tenant && [...tenant],
    labels: label && [...label],
    text,
    createdSince: since,
    createdBefore: before,
    updatedBefore: idleSince,
    minCostMicroUsd: minCost === undefined ? undefined : toMicroUsd(minCost),
    maxCostMicroUsd: maxCost === undefined ? undefined : toMicroUsd(maxCost),
    waitsFor: waitsFor && [...waitsFor],
    waitingLongerThan: longerThan === undefined ? undefined : Math.ceil(longerThan / 1_000),
  };
}

/** Whether any option selects jobs. */
export function hasConditions(options: JobFilterOptions): boolean {
  return Object.values(toConditions(options)).some((value) => value !== undefined);
}

function toMicroUsd(dollars: number): number {
  return Math.round(dollars * 1_000_000);
}
