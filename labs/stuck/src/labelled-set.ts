import { heldOutFine } from './held-out/fine-runs.js';
import { heldOutStuck } from './held-out/stuck-runs.js';
import type { RunKind } from './labelled-run.js';
import { tuningFine } from './tuning/fine-runs.js';
import { tuningStuck } from './tuning/stuck-runs.js';
import { finalFine } from './final/fine-runs.js';
import { finalStuck } from './final/stuck-runs.js';

export interface LabelledPart {
  readonly kinds: readonly RunKind[];
  readonly seeds: readonly number[];
}

/**
 * The labelled runs, in parts with different kinds. Rules and thresholds were chosen on `tuning` alone; `heldOut` and `final` were
 * written before the detector was run on them. docs/reference/stuck-detection.md describes what each part revealed, with the first results.
 */
export const LABELLED_SET = {
  tuning: { kinds: [...tuningStuck, ...tuningFine], seeds: [1, 2, 3] },
  heldOut: { kinds: [...heldOutStuck, ...heldOutFine], seeds: [101, 102, 103] },
  final: { kinds: [...finalStuck, ...finalFine], seeds: [201, 202, 203, 204] },
} as const satisfies Readonly<Record<string, LabelledPart>>;
