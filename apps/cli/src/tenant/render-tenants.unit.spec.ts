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
          runningPhases: 4,
          waitingJobs: 12,
          maxRunningPhases: 4,
          longestWaitMs: 65_000,
          limitSetBy: 'ada',
          limitSetAt: 'T',
        },
        { tenant: 'beta', runningPhases: 1, waitingJobs: 0 },
      ],
      { paint },
    );
    expect(lines.map((line) => line.trimEnd().split(/ {2,}/))).toEqual([
      ['TENANT', 'RUNNING', 'WAITING', 'LIMIT', 'LONGEST WAIT', 'LIMIT SET BY'],
      ['acme', '4', '12', '4', '1 min', 'ada, T'],
      ['beta', '1', '0', '-', '-', '-'],
    ]);
    expect(renderTenants([], { paint })).toEqual(['No tenant has running or waiting phases.']);
  });

  it('are shown with their limit after it is set', () => {
    expect(renderTenant({ tenant: 'acme', runningPhases: 3, waitingJobs: 2, maxRunningPhases: 1 })).toBe(
      'acme may run at most 1 phase concurrently; 3 running, 2 waiting.',
    );
    expect(renderTenant({ tenant: 'acme', runningPhases: 0, waitingJobs: 0 })).toContain(
      'has no limit on running phases',
    );
  });
});
