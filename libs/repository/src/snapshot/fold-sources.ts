/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '9f2031a4bfab303edbc4fd7a75eb23d4d9b1453e170a00865243566edfb8ca04';
