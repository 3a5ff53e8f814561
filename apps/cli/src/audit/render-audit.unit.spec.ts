import { describe, expect, it } from 'vitest';
import { paintFor } from '../output/paint.js';
import { auditProgress, renderAudit } from './render-audit.js';
import type { AuditReport } from './verify-log.js';

const paint = paintFor(false);
const sound: AuditReport = { holds: true, events: 1_234, streams: 7, problems: [], problemCount: 0 };

describe('the verdict of an audit', () => {
  it('that holds is one line', () => {
    expect(renderAudit(sound, paint)).toEqual([
      '✓ audit verify holds: 1234 events in 7 streams recomputed, every hash fits',
    ]);
  });

  it('that does not hold names stream, version and what is wrong', () => {
    const problems = [
      {
        streamId: 'phase-x-2',
        version: 7,
        kind: 'altered',
        detail: 'the stored hash is not that of the event that is stored',
      },
    ];
    expect(renderAudit({ ...sound, holds: false, problems, problemCount: 1 }, paint).slice(0, 2)).toEqual([
      '✗ audit verify does not hold: 1 problem in 1234 events in 7 streams',
      '  phase-x-2 version 7 altered: the stored hash is not that of the event that is stored',
    ]);
  });

  it('counts the problems that it does not show', () => {
    const problems = Array.from({ length: 1_000 }, (_, version) => ({
      streamId: 's',
      version,
      kind: 'missing',
      detail: 'gone',
    }));
    const lines = renderAudit({ ...sound, holds: false, problems, problemCount: 4_000 }, paint);
    expect(lines).toHaveLength(55);
    expect(lines[51]).toBe('  and 3950 more');
  });
});

describe('the progress of an audit', () => {
  it('is never done before the verdict, not even when events were written meanwhile', () => {
    expect(auditProgress(1_010, 1_000)).toContain('99 %');
    expect(auditProgress(0, 0)).toContain(' 0 %');
  });
});
