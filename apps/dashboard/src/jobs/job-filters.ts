import { jobStatuses } from '@phaseline/contracts';
import type { JobConditions, ListJobsQuery } from '@phaseline/client';
import { computeSince } from '../ui/ages.js';

/** What the filters of the screen contain: the texts of the address, so that a link leads to the same list. */
export interface JobFilters {
  readonly status: string;
  readonly agent: string;
  readonly tenant: string;
  readonly label: string;
  readonly text: string;
  /** Age of the newest jobs that are listed, such as `24h`; empty for all. */
  readonly since: string;
  readonly minCost: string;
  readonly waitsFor: string;
  /** Minutes for which the jobs have waited at least. */
  readonly longerThan: string;
  readonly sort: string;
}

const filterNames = [
  ...(['status', 'agent', 'tenant', 'label', 'text', 'since', 'minCost', 'waitsFor', 'longerThan', 'sort'] as const),
];

export const sorts = ['newest', 'oldest', 'cost', 'waiting'] as const;
export const waitKinds = [
  'person',
  'approval',
  'question',
  'todo',
  'pause',
  'blocked',
  'child',
  'worker',
  'orchestrator',
] as const;

/** Reads the filters from the parameters of the address. */
export function readFilters(params: URLSearchParams): JobFilters {
  return Object.fromEntries(filterNames.map((name) => [name, params.get(name) ?? ''])) as unknown as JobFilters;
}

/** Whether any filter is set; the order of the list is none. */
export function isFiltered(filters: JobFilters): boolean {
  return filterNames.some((name) => name !== 'sort' && filters[name] !== '');
}

/** Builds the conditions of the API. Values that the screen does not know, from an address that was edited, are left out. */
export function toConditions(filters: JobFilters, nowMs: number): JobConditions {
  const { status, agent, tenant, label, text, since, minCost, waitsFor, longerThan } = filters;
  const statuses = status.split(',').filter((one) => (jobStatuses as readonly string[]).includes(one));
  const wait = waitKinds.find((kind) => kind === waitsFor);
  const createdSince = computeSince(since, nowMs);
  const cost = readNumber(minCost);
  const minutes = readNumber(longerThan);
  return {
    ...(statuses.length === 0 ? {} : { statuses: statuses as JobConditions['statuses'] }),
    ...(agent === '' ? {} : { agents: [agent] }),
    ...(tenant === '' ? {} : { tenants: [tenant] }),
    ...(label === '' ? {} : { labels: [label] }),
    ...(text === '' ? {} : { text }),
    ...(createdSince === undefined ? {} : { createdSince }),
    ...(cost === undefined ? {} : { minCostMicroUsd: Math.round(cost * 1_000_000) }),
    ...(wait === undefined ? {} : { waitsFor: [wait] }),
    ...(minutes === undefined ? {} : { waitingLongerThan: Math.round(minutes * 60) }),
  };
}

export function toSort({ sort }: JobFilters): NonNullable<ListJobsQuery['sort']> {
  return sorts.find((one) => one === sort) ?? 'newest';
}

function readNumber(text: string): number | undefined {
  const value = Number(text);
  return text.trim() === '' || !Number.isFinite(value) || value < 0 ? undefined : value;
}
