import { readFile } from 'node:fs/promises';
import {
  decodePhaseEvent,
  detectStuck,
  DEFAULT_STUCK_SETTINGS,
  evolvePhase,
  parseStreamName,
  stuckPatterns,
  type PhaseState,
} from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { loadHistory } from '@phaseline/harness';
import { judgeRuns, computeScores } from './judge-runs.js';
import { LABELLED_SET } from './labelled-set.js';
import { playParts } from './played-parts.js';
import { renderLossTable, renderStuckTable } from './stuck-table.js';

const parts = Object.entries(LABELLED_SET).map(([part, { kinds, seeds }]) => ({ part, runs: judgeRuns(kinds, seeds) }));

describe('stuck detection on the labelled runs', () => {
  it('uses at least 200 runs, about half of them stuck', () => {
    const all = parts.flatMap(({ runs }) => runs);
    const fine = all.filter(({ label }) => label === 'fine').length;
    expect(all.length).toBeGreaterThanOrEqual(200);
    expect(fine / all.length).toBeGreaterThan(0.45);
    expect(fine / all.length).toBeLessThan(0.55);
  });

  it.each(parts)('detects those that are stuck and no others: $part', ({ runs }) => {
    for (const { pattern, precision, recall } of computeScores(runs, stuckPatterns)) {
      expect(precision, `precision of ${pattern}`).toBeGreaterThanOrEqual(0.95);
      expect(recall, `recall of ${pattern}`).toBeGreaterThanOrEqual(0.95);
    }
    expect(computeScores(runs, [])[0]!.named).toBeGreaterThanOrEqual(0.9);
  });

  it('has up-to-date tables in docs/reference/stuck-detection.md', async () => {
    const page = await readFile(new URL('../../../docs/reference/stuck-detection.md', import.meta.url), 'utf8');
    for (const { runs } of parts) expect(page).toContain(renderStuckTable(runs));
    expect(page).toContain(renderLossTable(playParts()));
  });
});

describe('stuck detection on real jobs', () => {
  it('finds nothing in the recorded job', async () => {
    const recorded = new URL('../../../libs/harness/src/histories/recorded/creator-demo.jsonl.gz', import.meta.url);
    const { events } = await loadHistory(recorded);
    const phases = new Map<string, PhaseState>();
    let checks = 0;
    for (const event of events) {
      if (parseStreamName(event.streamId)?.kind !== 'phase') continue;
      const before = phases.get(event.streamId);
      const fact = decodePhaseEvent(event);
      if (before && fact.type === 'ModelCallStarted') {
        checks += 1;
        expect(detectStuck(before.guards.watch, DEFAULT_STUCK_SETTINGS)).toBeUndefined();
      }
      phases.set(event.streamId, evolvePhase(before, fact));
    }
    expect(checks).toBeGreaterThan(20);
  });
});
