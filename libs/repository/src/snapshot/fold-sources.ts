/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '32edfbf7b25a2e14a748a070f609b664ba3fb5f84ddbf893f14c343946b5f3f3';
