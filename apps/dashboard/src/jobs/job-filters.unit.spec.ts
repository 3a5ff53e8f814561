import { expect, it } from 'vitest';
import { isFiltered, readFilters, toConditions, toSort } from './job-filters.js';

const NOW = Date.parse('2026-05-04T12:30:31Z');
const read = (query: string) => readFilters(new URLSearchParams(query));

it('an address without parameters selects every job, newest first', () => {
  const filters = read('');
  expect(toConditions(filters, NOW)).toEqual({});
  expect(toSort(filters)).toBe('newest');
  expect(isFiltered(filters)).toBe(false);
});

it('builds the conditions of the API', () => {
  const filters = read(
    'status=failed,blocked&agent=writer&tenant=acme&label=team%3Da&text=x&since=24h&minCost=0.5&waitsFor=person&longerThan=90&sort=waiting',
  );
  expect(toConditions(filters, NOW)).toEqual({
    statuses: ['failed', 'blocked'],
    agents: ['writer'],
    tenants: ['acme'],
    labels: ['team=a'],
    text: 'x',
    createdSince: '2026-05-03T12:30:00.000Z',
    minCostMicroUsd: 500_000,
    waitsFor: ['person'],
    waitingLongerThan: 5_400,
  });
  expect(toSort(filters)).toBe('waiting');
  expect(isFiltered(filters)).toBe(true);
});

it('leaves out what the API would refuse', () => {
  const filters = read('status=lost&since=soon&minCost=much&waitsFor=luck&longerThan=-1&sort=best');
  expect(toConditions(filters, NOW)).toEqual({});
  expect(toSort(filters)).toBe('newest');
});
