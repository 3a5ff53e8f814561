/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '28f43710270e68060f8b29256b08c1a692786d195e7280e88f827052a311fc76';
