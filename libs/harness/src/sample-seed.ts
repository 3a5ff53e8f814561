/**
 * Returns the seed of a sample of long runs: of a text such as the hash of a commit, so that each commit tries others. `undefined` if there is
 * no text, so that all runs are wanted.
 */
export function toSampleSeed(text: string | undefined): number | undefined {
  return text ? Number.parseInt(text.slice(0, 6), 16) || 1 : undefined;
}
