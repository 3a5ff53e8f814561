/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '7d64b9199d338f6e3348ce2f78d8bd1366d84c56cf0835a614cc11b6ea795540';
