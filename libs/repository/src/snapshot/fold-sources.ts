/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'ad459c999dee357f4bd29d93cb342e250352d246665589e33811fd0d6abc3f10';
