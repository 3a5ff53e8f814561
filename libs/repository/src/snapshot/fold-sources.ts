/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '35803e9dbd2e7b50b604932742a37634b2f17676f78872627dac485838f58365';
