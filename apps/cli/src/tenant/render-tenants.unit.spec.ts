import { describe, expect, it } from 'vitest';
import { createPaint } from '../output/paint.js';
import { renderTenant, renderTenants } from './render-tenants.js';

const paint = createPaint(false);

describe('tenants', () => {
  it('are shown with running and waiting phases and limits', () => {
    const lines = renderTenants(
      [
        {
          tenant: 'acme',
          active: 4,
          waiting: 12,
          maxPhases: 4,
          longestWaitMs: 65_000,
          setBy: { actor: 'ada', at: 'T' },
        },
        { tenant: 'beta', active: 1, waiting: 0 },
      ],
      { paint },
    );
    expect(lines.map((line) => line.trimEnd().split(/ {2,}/))).toEqual([
      ['TENANT', 'ACTIVE', 'WAITING', 'LIMIT', 'LONGEST WAIT', 'LIMIT SET BY'],
      ['acme', '4', '12', '4', '1 min', 'ada, T'],
      ['beta', '1', '0', '-', '-', '-'],
    ]);
    expect(renderTenants([], { paint })).toEqual(['No tenant has running or waiting phases.']);
  });

  it('are shown with their limit after it is set', () => {
    expect(renderTenant({ tenant: 'acme', active: 3, waiting: 2, maxPhases: 1 })).toBe(
      'acme may run at most 1 phase at once; 3 running, 2 waiting.',
    );
    expect(renderTenant({ tenant: 'acme', active: 0, waiting: 0 })).toContain('has no limit on running phases');
  });
});
