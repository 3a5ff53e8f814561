import { expect, it } from 'vitest';
import { formatTenants, splitNames } from './tenant-text.js';

it('names all tenants, whichever way they are written', () => {
  expect(['all' as const, ['*'], ['a', '*'], ['a', 'b'], []].map(formatTenants)).toEqual([
    ...['all tenants', 'all tenants', 'all tenants', 'a, b', ''],
  ]);
});

it('splits names at commas and spaces', () => {
  expect(splitNames(' jobs:read,  jobs:submit\nfiles:read,')).toEqual(['jobs:read', 'jobs:submit', 'files:read']);
  expect(splitNames('  ')).toEqual([]);
});
