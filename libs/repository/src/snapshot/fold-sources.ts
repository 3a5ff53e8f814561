/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'c659f213a0a3bb16f55c161974cf89c40356488147826ec42c1e3768bbf4643d';
