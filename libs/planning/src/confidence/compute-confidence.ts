import type { ConfidenceBand } from './confidence-band.js';
import { heuristicNames, type ConfidenceSettings, type HeuristicName } from '@phaseline/contracts';

/** Values of the heuristics, 0 to 1. Those that do not apply to the stage are left out, and their weight is shared by the others. */
export type HeuristicValues = Partial<Readonly<Record<HeuristicName, number>>>;

/** Confidence of a stage with its parts, as it is stored. All numbers are between 0 and 1. */
export interface StageConfidence {
  readonly confidence: number;
  readonly band: ConfidenceBand;
  /** `confidence` of the last tool call of the stage. */
  readonly self: number;
  /** 1 minus the weighted share of violated rules. */
  readonly validator: number;
  readonly heuristics: number;
  readonly heuristicValues: HeuristicValues;
}

/** Digits to which a confidence is rounded, so that 0.35 + 0.21 + 0.14 reaches 0.7 in binary numbers as well. */
const CONFIDENCE_DIGITS = 6;

/** Computes the confidence of a stage: weighted mean of self-score, validator score and heuristics. Scores outside 0 to 1 are clamped. */
export function computeConfidence(
  scores: { readonly self: number; readonly validator: number; readonly heuristicValues: HeuristicValues },
  settings: ConfidenceSettings,
): StageConfidence {
  const self = clamp(scores.self);
  const validator = clamp(scores.validator);
  const heuristics = combineHeuristics(scores.heuristicValues, settings.heuristics);
  const { weights } = settings;
  const mean = computeMean([
    [self, weights.self],
    [validator, weights.validator],
    [heuristics, weights.heuristics],
  ]);
  const confidence = round(mean ?? 0);
  return {
    ...{ confidence, band: findBand(confidence, settings), self, validator, heuristics },
    heuristicValues: scores.heuristicValues,
  };
}

/** Returns what a confidence means for the stage. */
export function findBand(
  confidence: number,
  { continueFrom, retryFrom }: Pick<ConfidenceSettings, 'continueFrom' | 'retryFrom'>,
): ConfidenceBand {
  if (confidence >= continueFrom) return 'go_on';
  return confidence >= retryFrom ? 'retry' : 'escalate';
}

/** Weighted mean of the heuristics that apply; 0 if none does, because nothing then speaks for the stage. */
function combineHeuristics(values: HeuristicValues, weights: ConfidenceSettings['heuristics']): number {
  const parts = heuristicNames.flatMap((name): (readonly [number, number])[] => {
    const value = values[name];
    return value === undefined ? [] : [[clamp(value), weights[name]]];
  });
  return round(computeMean(parts) ?? 0);
}

function computeMean(parts: readonly (readonly [value: number, weight: number])[]): number | undefined {
  const total = parts.reduce((sum, [, weight]) => sum + weight, 0);
  if (total === 0) return undefined;
  return parts.reduce((sum, [value, weight]) => sum + value * weight, 0) / total;
}

/** A score that is not a number counts as none. */
function clamp(score: number): number {
  return Number.isNaN(score) ? 0 : Math.min(1, Math.max(0, score));
}

function round(score: number): number {
  return Number(score.toFixed(CONFIDENCE_DIGITS));
}
