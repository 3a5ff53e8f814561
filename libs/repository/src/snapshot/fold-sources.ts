/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '938c25abfaf54cca1dbd078e376d86a0faad9c93864befbcbfc6dd1844f4855e';
