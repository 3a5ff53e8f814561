/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '7f99a1ecda6b1d7a178d365fe0cb2aa3b67f9feeb1fa1605c2f38c7edaf79e05';
