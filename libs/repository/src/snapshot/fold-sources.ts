/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '9e4257ef783dbfd0cbbaa6abc58db14e1e93118f33e946dee0e0ccd3ba3ff8a4';
