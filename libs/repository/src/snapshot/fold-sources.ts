/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'cb9209c184429ec0c0ac822f4a12aecdb486039313d5930f33e8b533c8652dd5';
