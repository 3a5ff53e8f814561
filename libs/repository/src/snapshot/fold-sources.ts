/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '259a881b1cc2a9caabb747927a354021d6912caca26bc8d05aef22e92e2bc36a';
