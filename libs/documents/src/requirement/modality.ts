/**
 * Kinds of requirements. `optional` means that something may be omitted (OPTIONAL, "need not"), `permission` that something may be
 * done.
 */
export const MODALITIES = [
  'obligation',
  'prohibition',
  'recommendation',
  'discouraged',
  'permission',
  'optional',
] as const;
export type Modality = (typeof MODALITIES)[number];

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
