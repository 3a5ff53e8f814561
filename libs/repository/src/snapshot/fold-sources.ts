/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '52dd3e2fd6c99a1da5bc9766d26ee94af11d0b633507ea8440a1c4211e9802b1';
