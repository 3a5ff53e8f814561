/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'a3f6edde7ffc321e44cac164ffdb1c99e2bab2b59c450e8a3ae632e42a906449';
