/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'a8c09e96d61c6cd4ef5fe264fef52341fcaedadec25af3cb1cf9a9495d9effb1';
