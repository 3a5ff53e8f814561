/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '7dc5b6c40217703cf4cfbc30110f9675f211d354f7654872c0ebf2b2dbbd18ac';
