/**
 * Returns the seed of a sample, if only one is wanted: PHASELINE_SAMPLE, such as the hash of a commit, makes long specs choose a part of their
 * runs, so that each commit tries others. Without it, or if it is empty, a spec makes all of its runs.
 */
export function readSampleSeed(): number | undefined {
  const sample = process.env['PHASELINE_SAMPLE'];
  return sample ? Number.parseInt(sample.slice(0, 6), 16) || 1 : undefined;
}
