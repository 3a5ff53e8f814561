/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '6fe6c3da902536a11b720eeea1c78b00aa510db620f911aa0f450c3833b046c2';
