/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '839eee145d137584b525573760bbe24a01610da94d3fe84140a93c3bc4514bc2';
