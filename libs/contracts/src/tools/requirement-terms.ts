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

/** Types of relationships in a graph that state whether a requirement is fulfilled. */
export const FULFILMENT_TYPES = ['FULFILLED_BY', 'NOT_FULFILLED_BY'] as const;

/** Labels of the nodes that can fulfil a requirement. */
export const TARGET_LABELS = ['BusinessObject', 'Message'] as const;
