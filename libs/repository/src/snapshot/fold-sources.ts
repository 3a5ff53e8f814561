/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '027d590ea3329389a37f9178124901b91b1a2b50653a9df5752cd68915b66e24';
