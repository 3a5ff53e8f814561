/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'c3313476e3ec8be40af0eb3a05a541b194a3cf378e49206db0ada355ed38b2e2';
