/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'c40e8e66b2d13e16d8ca71d8b7c51242f957b4a2ea373e7119f2f37af3e9e190';
