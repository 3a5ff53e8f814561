/** What a confidence means for a stage: continue, try again with a narrower task, or ask a person. */
export const confidenceBands = ['go_on', 'retry', 'escalate'] as const;
export type ConfidenceBand = (typeof confidenceBands)[number];
