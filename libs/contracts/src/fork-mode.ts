/**
 * How a fork runs. `live`: like any job. `live-model`: the model is called, and results of `remote` tools come from the
 * recording. `recorded`: answers and results come from the recording.
 */
export const forkModes = ['live', 'live-model', 'recorded'] as const;
export type ForkMode = (typeof forkModes)[number];
