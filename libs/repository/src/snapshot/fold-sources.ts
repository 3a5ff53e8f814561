/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '30ce4ec5d81d5841a5dc0a15935350c61e8b6991f4195ae504b08ad2f74d1df2';
