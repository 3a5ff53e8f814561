import type { JobConditions, JobSort } from './job-filter.js';
import type { JobView } from './job-view.js';

/** Whether a job matches: written independently of the SQL. */
export function matchesConditions(job: JobView, conditions: JobConditions, now: number): boolean {
  const { statuses, agents, tenants, labels, createdSince, createdBefore, updatedBefore } = conditions;
  const { minCostMicroUsd, maxCostMicroUsd, waitsFor, waitingSeconds, text } = conditions;
  const ms = (time: string): number => Date.parse(time);
  return [
    !statuses || statuses.includes(job.status),
    !agents || agents.includes(job.agent),
    !tenants || tenants.includes(job.tenant),
    !labels ||
      labels.every(({ key, value }) => key in job.labels && (value === undefined || job.labels[key] === value)),
    createdSince === undefined || ms(job.createdAt) >= ms(createdSince),
    createdBefore === undefined || ms(job.createdAt) < ms(createdBefore),
    updatedBefore === undefined || ms(job.updatedAt) < ms(updatedBefore),
    minCostMicroUsd === undefined || job.costMicroUsd >= minCostMicroUsd,
    maxCostMicroUsd === undefined || job.costMicroUsd <= maxCostMicroUsd,
    !waitsFor || (job.wait !== undefined && waitsFor.includes(job.wait.kind)),
    waitingSeconds === undefined || (job.wait !== undefined && now - ms(job.wait.since) >= waitingSeconds * 1_000),
    text === undefined || containsText(job, text.toLowerCase()),
  ].every(Boolean);
}

function containsText({ jobId, agent, phase, labels, result, failure }: JobView, text: string): boolean {
  if (jobId.startsWith(text)) return true;
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return [agent, phase?.name, result?.summary, failure?.message, ...pairs].some((part) =>
    part?.toLowerCase().includes(text),
  );
}

/** Sorts as lists do. */
export function sortViews(views: readonly JobView[], sort: JobSort): readonly JobView[] {
  const byPosition = (a: JobView, b: JobView): number => a.submittedPosition - b.submittedPosition;
  const comparators: Readonly<Record<JobSort, (a: JobView, b: JobView) => number>> = {
    newest: (a, b) => byPosition(b, a),
    oldest: byPosition,
    cost: (a, b) => b.costMicroUsd - a.costMicroUsd || byPosition(b, a),
    waiting: (a, b) => Date.parse(a.wait?.since ?? '') - Date.parse(b.wait?.since ?? '') || byPosition(a, b),
  };
  return [...views].sort(comparators[sort]);
}
