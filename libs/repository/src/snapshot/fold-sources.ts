/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '5c04db063398190b804bda08659fe17d064dbbec5be3031766960f5a30570af6';
