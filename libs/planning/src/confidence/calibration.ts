import { computeWilsonInterval } from '@phaseline/basics';

/** What became of an assessed draft. Only an abort says nothing about the draft itself. */
type AssessedOutcome = 'approved' | 'changed' | 'invalid' | 'aborted';

/** An assessed draft of which is known what became of it. */
export interface AssessedDraft {
  readonly confidence: number;
  readonly outcome: AssessedOutcome;
}

export interface Calibration {
  /** Number of drafts by what became of them. */
  readonly counts: Readonly<Record<AssessedOutcome, number>>;
  /** Mean confidence and share of approved drafts, without aborted ones; `null` if there are no others. */
  readonly meanConfidence: number | null;
  readonly shareApproved: number | null;
  /** Mean confidence minus the share of approved drafts: positive if the planner is too sure of itself. */
  readonly overConfidence: number | null;
  /** Interval that contains the true over-confidence with a probability of 95 %; `null` for fewer than two drafts. */
  readonly interval: readonly [number, number] | null;
}

export interface CalibrationBand extends Calibration {
  /** Confidences of the band: `from` is part of it, `to` only if it is 1. */
  readonly from: number;
  readonly to: number;
}

/** Limits of the bands: those at which a plan decides by default, and a finer one where most drafts are. */
const BAND_LIMITS = [0, 0.4, 0.7, 0.85, 1] as const;

/** Compares the confidence of drafts with what became of them. */
export function computeCalibration(drafts: readonly AssessedDraft[]): Calibration {
  const known = drafts.filter(({ outcome }) => outcome !== 'aborted');
  const approved = known.filter(({ outcome }) => outcome === 'approved').length;
  const meanConfidence = computeMean(known.map(({ confidence }) => confidence));
  return {
    counts: countOutcomes(drafts),
    meanConfidence,
    shareApproved: known.length === 0 ? null : approved / known.length,
    overConfidence: meanConfidence === null ? null : meanConfidence - approved / known.length,
    interval: computeInterval(meanConfidence, approved, known.length),
  };
}

/** Compares them by bands of confidence. Bands without drafts are left out. */
export function computeBands(drafts: readonly AssessedDraft[]): readonly CalibrationBand[] {
  return BAND_LIMITS.slice(0, -1).flatMap((from, index) => {
    const to = BAND_LIMITS[index + 1]!;
    const within = drafts.filter(({ confidence }) => confidence >= from && (confidence < to || to === 1));
    return within.length === 0 ? [] : [{ from, to, ...computeCalibration(within) }];
  });
}

function countOutcomes(drafts: readonly AssessedDraft[]): Record<AssessedOutcome, number> {
  const counts = { approved: 0, changed: 0, invalid: 0, aborted: 0 };
  for (const { outcome } of drafts) counts[outcome] += 1;
  return counts;
}

function computeMean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The mean confidence minus the interval of the share of approved drafts. */
function computeInterval(
  meanConfidence: number | null,
  approved: number,
  count: number,
): readonly [number, number] | null {
  if (meanConfidence === null || count < 2) return null;
  const [low, high] = computeWilsonInterval(approved, count);
  return [meanConfidence - high, meanConfidence - low];
}
