/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '094e293f4b57e3eaa1878b185380345d6d6c8c59c003d9d81487680ebd9f58b4';
