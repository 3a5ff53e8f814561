import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeConfidence, findBand } from './compute-confidence.js';
import { confidenceSettingsSchema } from '@phaseline/contracts';
import { measureHeuristics } from './measure-heuristics.js';

const defaults = confidenceSettingsSchema.parse({});

describe('the confidence of a stage', () => {
  it('is 0.5 self + 0.3 validator + 0.2 heuristics, with its parts', () => {
    const heuristicValues = { estimatedNodes: 0.5, answeredQuestions: 1, patternDistance: 0 };
    expect(computeConfidence({ self: 0.8, validator: 0.9, heuristicValues }, defaults)).toEqual({
      ...{ confidence: 0.77, band: 'go_on', self: 0.8, validator: 0.9, heuristics: 0.5, heuristicValues },
    });
  });

  it('leaves out heuristics that do not apply', () => {
    const heuristicValues = { answeredQuestions: 0.25 };
    expect(computeConfidence({ self: 0, validator: 0, heuristicValues }, defaults)).toMatchObject({
      ...{ heuristics: 0.25, confidence: 0.05, band: 'escalate' },
    });
    expect(computeConfidence({ self: 1, validator: 1, heuristicValues: {} }, defaults).confidence).toBe(0.8);
  });

  it('counts a score that is not a number as 0, and clamps the others', () => {
    const scores = { self: Number.NaN, validator: 7, heuristicValues: { patternDistance: -1 } };
    expect(computeConfidence(scores, defaults)).toMatchObject({
      self: 0,
      validator: 1,
      heuristics: 0,
      confidence: 0.3,
    });
  });

  it('uses weights and thresholds of the settings', () => {
    const settings = {
      ...defaults,
      weights: { self: 1, validator: 0, heuristics: 1 },
      continueFrom: 0.5,
      retryFrom: 0.2,
    };
    const stage = computeConfidence({ self: 0.6, validator: 0, heuristicValues: { patternDistance: 0.4 } }, settings);
    expect([stage.confidence, stage.band]).toEqual([0.5, 'go_on']);
  });

  it.each([
    [1, 'go_on'],
    [0.7, 'go_on'],
    [0.699999, 'retry'],
    [0.4, 'retry'],
    [0.399999, 'escalate'],
    [0, 'escalate'],
  ])('%d means %s', (confidence, band) => {
    expect(findBand(confidence, defaults)).toBe(band);
  });

  it('is 0.7 when every part is 0.7, and grows with every part', () => {
    const all = (score: number) =>
      computeConfidence({ self: score, validator: score, heuristicValues: { estimatedNodes: score } }, defaults);
    expect(all(0.7)).toMatchObject({ confidence: 0.7, band: 'go_on' });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, share, share, (self, validator, estimatedNodes, more) => {
        const low = computeConfidence({ self, validator, heuristicValues: { estimatedNodes } }, defaults);
        const high = computeConfidence(
          { self: Math.max(self, more), validator, heuristicValues: { estimatedNodes } },
          defaults,
        );
        expect(high.confidence).toBeGreaterThanOrEqual(low.confidence);
        expect(low.confidence).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('the settings of the confidence', () => {
  it('accept the defaults, and refuse thresholds in the wrong order and weights that are all 0', () => {
    expect(confidenceSettingsSchema.parse(defaults)).toEqual(defaults);
    expect(confidenceSettingsSchema.safeParse({ ...defaults, retryFrom: 0.8 }).success).toBe(false);
    const none = { self: 0, validator: 0, heuristics: 0 };
    expect(confidenceSettingsSchema.safeParse({ ...defaults, weights: none }).success).toBe(false);
  });
});

describe('the heuristics', () => {
  it('measure what exists', () => {
    const node = (id: string, parent: string | null, estimateMinutes?: number) => ({
      ...{ id, parent, level: 'L3' as const, time: 'once' as const, title: id, origin: 'system' as const },
      ...(estimateMinutes !== undefined && { estimateMinutes }),
    });
    const outline = {
      contextHash: 'a'.repeat(64),
      pattern: { patternType: 'milestone_project', introducedBy: 'system' as const },
      nodes: [node('a', null), node('b', 'a', 10), node('c', 'a')],
    };
    const facts = [
      { question: 'When?', answer: 'In May', isAssumed: false },
      { question: 'Where?', answer: 'At home', isAssumed: true },
    ];
    expect(measureHeuristics({ outline, facts, patternDistance: 0.125 })).toEqual({
      ...{ estimatedNodes: 0.5, answeredQuestions: 0.5, patternDistance: 0.5 },
    });
    expect(measureHeuristics({ patternDistance: 0.6 })).toEqual({ patternDistance: 1 });
    expect(measureHeuristics({ facts: [] })).toEqual({ answeredQuestions: 1 });
  });
});
