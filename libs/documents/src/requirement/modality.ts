import type { Modality } from '@phaseline/contracts';

const strength: Readonly<Record<Modality, number>> = {
  obligation: 3,
  prohibition: 3,
  recommendation: 2,
  discouraged: 2,
  permission: 1,
  optional: 1,
};

/** Compares modalities so that the stronger one comes first. */
export function compareStrength(a: Modality, b: Modality): number {
  return strength[b] - strength[a];
}
