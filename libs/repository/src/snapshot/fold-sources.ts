/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '6328ddf7e32c5811bddec0d1c46f2e2b7570b5f5c9a8d8c50ccd0d8aade09a01';
