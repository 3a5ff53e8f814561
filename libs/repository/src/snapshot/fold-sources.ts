/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '00c291d4e4f090826cc3ee1c475177dada9c2da381a81a4180ed81c7ae686c48';
