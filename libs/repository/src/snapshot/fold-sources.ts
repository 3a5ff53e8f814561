/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '3c31f8828180e34990caa37a16e732a94bcc60fbcf03853d93ff33a9832d8535';
