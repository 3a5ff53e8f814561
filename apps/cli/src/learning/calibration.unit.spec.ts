import { expect, it } from 'vitest';
import { renderCalibration } from './calibration.js';

it('calibration: one line per band, and one for all', () => {
  const all = {
    counts: { approved: 6, changed: 3, invalid: 1, aborted: 2 },
    ...{ meanConfidence: 0.8, shareApproved: 0.6, overConfidence: 0.2, interval: [-0.01, 0.41] as [number, number] },
  };
  const single = { ...all, counts: { approved: 0, changed: 0, invalid: 0, aborted: 2 } };
  const unknown = { ...single, meanConfidence: null, shareApproved: null, overConfidence: null, interval: null };
  const bands = [
    { from: 0.4, to: 0.7, ...unknown },
    { from: 0.85, to: 1, ...all },
  ];
  const lines = renderCalibration([{ agent: 'planner', model: null, ...all, bands }], (text) => text, undefined);
  expect(lines.map((line) => line.trimEnd().replace(/ {2,}/g, ' | '))).toEqual([
    'agent | model | confidence | approved | changed | invalid | aborted | mean | held | over-confidence',
    'planner | – | 0.4 to 0.7 | 0 | 0 | 0 | 2 | – | – | –',
    'planner | – | 0.85 to 1 | 6 | 3 | 1 | 2 | 0.80 | 0.60 | +0.20 (-0.01 to +0.41)',
    'planner | – | all | 6 | 3 | 1 | 2 | 0.80 | 0.60 | +0.20 (-0.01 to +0.41)',
  ]);
});
