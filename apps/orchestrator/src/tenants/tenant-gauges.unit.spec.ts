import { expect, it } from 'vitest';
import { selectBusiest } from './tenant-gauges.js';

it('a thousand tenants make a handful of series: the busiest by name, the sum of the rest', () => {
  const loads = Array.from({ length: 1_000 }, (_, index) => ({
    tenant: `t${index}`,
    active: index % 7,
    waiting: index,
  }));
  const shown = selectBusiest(loads, 20);
  expect(shown).toHaveLength(21);
  expect(shown.at(-1)!.tenant).toBe('(others)');
  for (const figure of ['active', 'waiting'] as const)
    expect(shown.reduce((sum, load) => sum + load[figure], 0)).toBe(loads.reduce((sum, load) => sum + load[figure], 0));
  expect(shown[0]).toMatchObject({ tenant: 't999' });
});

it('tenants without anything have no series', () => {
  expect(selectBusiest([{ tenant: 'idle', active: 0, waiting: 0, limit: 4 }], 20)).toEqual([]);
});
