/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'e23c6504d80065e5264d64b3a2bcf92ef1dfc92802c7f626b5152fbf66b3687b';
