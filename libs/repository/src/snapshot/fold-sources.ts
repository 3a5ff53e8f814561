/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'b47f2785db3be52f832aa5d9d61de640389b7351de2dfe5a7598cb1ef9c0fd07';
