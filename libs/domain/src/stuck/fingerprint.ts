/**
 * Computes a 53-bit hash of a text that is the same on every machine. It is not cryptographic; collisions are rare enough
 * not to matter here.
 */
export function computeFingerprint(text: string, seed = 0): number {
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}

/** Samples the smallest fingerprints. If two sets share most members, so do their samples. */
export function sampleFingerprints(texts: Iterable<string>, size: number): readonly number[] {
  const all = new Set<number>();
  for (const text of texts) all.add(computeFingerprint(text));
  return [...all].sort((one, other) => one - other).slice(0, size);
}
