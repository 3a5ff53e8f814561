/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '5973fb2a5d6964c137e9fa0f751f1edb958f2fec8b37c41496f7f752b2e74da9';
