import type { LearningReportRecord } from '@phaseline/client';
import { expect, it } from 'vitest';
import { describeAntiPatterns, describeMetrics } from './describe-report.js';

const none = { count: 0, of: 0, share: null };

const report: LearningReportRecord = {
  ...{ jobs: 2, hasMore: false },
  antiPatterns: {
    neverRetrieved: { count: 3, of: 4, share: 0.75 },
    oscillation: none,
    genericReflections: { count: 0, of: 2, share: 0 },
    selfScore: { proposals: 0, meanConfidence: null, shareAccepted: null, overConfidence: null },
    overthinking: { count: 1, of: 4, share: 0.25, meanUsed: 0.4 },
  },
  metrics: {
    prematureCompletion: { count: 1, of: 50, share: 0.02, per100: 2 },
    userPrompts: { questions: 1, approvals: 2, steers: 0, perJob: 1.5 },
    promptSize: [],
    repeatedMistakes: none,
    ruleCompliance: { count: 8, of: 8, share: 1, overridden: 2 },
  },
};

it('says of each measure from what it was computed, and whether an exact target is met', () => {
  const rows = [...describeAntiPatterns(report), ...describeMetrics(report)];
  expect(rows.map(({ name, figure, basis, isMet }) => [name, figure, basis, isMet])).toEqual([
    ['Stored, never retrieved', '0.75', '3 of 4 learning traces', undefined],
    ['Oscillation', '–', 'no later attempt yet', undefined],
    ['Generic reflections', '0.00', '0 of 2 reflections', true],
    ['Self-score', '–', 'no proposal yet', undefined],
    ['Overthinking', '0.25', '1 of 4 phases; mean use 0.40', undefined],
    ['Premature completion', '0.02', '1 of 50 accepted claims', false],
    ['Prompts of people', '1.50 per job', '1 question, 2 approvals, 0 messages', undefined],
    ['Repeated mistakes', '–', 'no violation yet', undefined],
    ['Rule compliance', '1.00', '8 of 8 denials; 2 overridden by people', true],
  ]);
});
