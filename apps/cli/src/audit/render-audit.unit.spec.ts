import { describe, expect, it } from 'vitest';
import { createPaint } from '../output/paint.js';
import { renderAuditProgress, renderAudit } from './render-audit.js';
import type { AuditReport } from '@phaseline/audit';

const paint = createPaint(false);
const passed: AuditReport = { passed: true, events: 1_234, streams: 7, problems: [], problemCount: 0 };

describe('the outcome of an audit', () => {
  it('is one line if it passed', () => {
    expect(renderAudit(passed, paint)).toEqual([
      '✓ audit verify passed: 1234 events in 7 streams recomputed, all hashes match',
    ]);
  });

  it('names stream, version and what is wrong if it failed', () => {
    const problems = [
      {
        streamId: 'phase-x-2',
        version: 7,
        kind: 'altered',
        detail: 'the stored hash does not match the stored event',
      },
    ];
    expect(renderAudit({ ...passed, passed: false, problems, problemCount: 1 }, paint).slice(0, 2)).toEqual([
      '✗ audit verify failed: 1 problem in 1234 events in 7 streams',
      '  phase-x-2 version 7 altered: the stored hash does not match the stored event',
    ]);
  });

  it('counts the problems that are not shown', () => {
    const problems = Array.from({ length: 1_000 }, (_, version) => ({
      streamId: 's',
      version,
      kind: 'missing',
      detail: 'gone',
    }));
    const lines = renderAudit({ ...passed, passed: false, problems, problemCount: 4_000 }, paint);
    expect(lines).toHaveLength(55);
    expect(lines[51]).toBe('  and 3950 more');
  });
});

describe('the progress of an audit', () => {
  it('stays below 100 % until the outcome is known, even if events were appended meanwhile', () => {
    expect(renderAuditProgress(1_010, 1_000)).toContain('99 %');
    expect(renderAuditProgress(0, 0)).toContain(' 0 %');
  });
});
