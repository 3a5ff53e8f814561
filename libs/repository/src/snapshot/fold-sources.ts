/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '2a0a01e5997ce4269d8654982f5d6d9a114090f735a086ee544966f3d2ec5dc4';
