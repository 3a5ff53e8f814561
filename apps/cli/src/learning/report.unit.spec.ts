import type { LearningReportRecord } from '@phaseline/client';
import { expect, it } from 'vitest';
import { createPaint } from '../output/paint.js';
import { renderLearningReport } from './report.js';

const none = { count: 0, of: 0, share: null };
const report: LearningReportRecord = {
  ...{ jobs: 2, hasMore: true },
  antiPatterns: {
    neverRetrieved: { count: 3, of: 4, share: 0.75 },
    ...{ oscillation: none, genericReflections: { count: 1, of: 2, share: 0.5 } },
    selfScore: { proposals: 2, meanConfidence: 0.8, shareAccepted: 0.5, overConfidence: 0.3 },
    overthinking: { count: 2, of: 8, share: 0.25, meanUsed: 0.44 },
  },
  metrics: {
    prematureCompletion: { count: 3, of: 12, share: 0.25, per100: 25 },
    userPrompts: { questions: 1, approvals: 1, steers: 1, perJob: 1.5 },
    promptSize: [{ agent: 'coding-agent', lines: 40, tokens: 900 }],
    repeatedMistakes: none,
    ruleCompliance: { count: 3, of: 5, share: 0.6, overridden: 1 },
  },
};

it('a learning report: one line per anti-pattern and measure, with what it is a share of', () => {
  expect(renderLearningReport(report, createPaint(false))).toEqual([
    '2 jobs, the newest; older ones match as well (--limit)',
    '',
    'Anti-patterns',
    '  stored, never retrieved  0.75 (3 of 4 learning traces)',
    '  oscillation              – (0 of 0 later attempts)',
    '  generic reflections      0.50 (1 of 2 reflections)',
    '  self-score               +0.30: mean confidence 0.80, accepted 0.50 of 2 proposals',
    '  overthinking             0.25 (2 of 8 phases) used 80 % of its steps; mean use 0.44',
    '',
    'Measures of success',
    '  premature completion     0.25 (3 of 12 accepted claims) refuted later; the target is 0',
    '  prompts of people        1.50 per job: 1 question, 1 approval, 1 message',
    '  repeated mistakes        – (0 of 0 violations)',
    '  rule compliance          0.60 (3 of 5 denials) held; 1 overridden by people',
    '  size of instructions',
    '    coding-agent: 40 lines, 900 tokens',
  ]);
});
