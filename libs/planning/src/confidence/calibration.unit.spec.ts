import { SeededRandom } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import { computeBands, computeCalibration, type AssessedDraft } from './calibration.js';

/** Drafts of a planner whose confidence is `excess` higher than the probability that the draft is approved. */
function generateDrafts(seed: number, excess: number): readonly AssessedDraft[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: 400 }, () => {
    const confidence = 0.4 + 0.6 * random.next();
    const isApproved = random.next() < confidence - excess;
    return { confidence, outcome: isApproved ? 'approved' : random.next() < 0.5 ? 'changed' : 'invalid' };
  });
}

const seeds = Array.from({ length: 40 }, (_, index) => index + 1);
const contains = ([from, to]: readonly [number, number], value: number): boolean => from <= value && value <= to;
const intervals = (excess: number) => seeds.map((seed) => computeCalibration(generateDrafts(seed, excess)).interval!);

describe('the over-confidence', () => {
  it('that was planted is within the interval for most seeds, and is told from none', () => {
    const planted = intervals(0.2);
    expect(planted.filter((interval) => contains(interval, 0.2)).length).toBeGreaterThanOrEqual(35);
    expect(planted.filter((interval) => contains(interval, 0)).length).toBe(0);
  });

  it('is none for calibrated drafts', () => {
    const calibrated = intervals(0);
    expect(calibrated.filter((interval) => contains(interval, 0)).length).toBeGreaterThanOrEqual(35);
    expect(calibrated.filter((interval) => contains(interval, 0.2)).length).toBe(0);
  });

  it('is that of all drafts but the aborted ones', () => {
    const drafts: readonly AssessedDraft[] = [
      { confidence: 0.9, outcome: 'approved' },
      { confidence: 0.7, outcome: 'changed' },
      { confidence: 0.1, outcome: 'aborted' },
    ];
    const { interval, ...calibration } = computeCalibration(drafts);
    expect(calibration).toEqual({
      ...{ counts: { approved: 1, changed: 1, invalid: 0, aborted: 1 }, shareApproved: 0.5 },
      ...{ meanConfidence: expect.closeTo(0.8), overConfidence: expect.closeTo(0.3) },
    });
    expect((interval![0] + interval![1]) / 2).toBeCloseTo(0.3);
  });

  it('is not known exactly because few drafts all had the same end', () => {
    const drafts = [0.8, 0.85, 0.84].map((confidence): AssessedDraft => ({ confidence, outcome: 'approved' }));
    const [from, to] = computeCalibration(drafts).interval!;
    // Wilson's interval of three out of three begins at 0.44.
    expect([from, to]).toEqual([expect.closeTo(-0.17, 5), expect.closeTo(0.3915, 3)]);
  });

  it('is unknown without drafts, and has no interval with one', () => {
    const nothing = { meanConfidence: null, shareApproved: null, overConfidence: null, interval: null };
    expect(computeCalibration([])).toMatchObject(nothing);
    expect(computeCalibration([{ confidence: 0.5, outcome: 'aborted' }])).toMatchObject(nothing);
    expect(computeCalibration([{ confidence: 0.5, outcome: 'invalid' }])).toMatchObject({
      ...{ overConfidence: 0.5, interval: null },
    });
  });
});

it('the bands contain each draft once', () => {
  const drafts = [0, 0.39, 0.4, 0.69, 0.7, 0.84, 0.85, 1].map((confidence): AssessedDraft => ({
    confidence,
    outcome: 'approved',
  }));
  expect(computeBands(drafts).map(({ from, to, counts }) => [from, to, counts.approved])).toEqual([
    ...[[0, 0.4, 2] as const, [0.4, 0.7, 2] as const, [0.7, 0.85, 2] as const, [0.85, 1, 2] as const],
  ]);
  expect(computeBands(drafts.slice(0, 1))).toHaveLength(1);
});
