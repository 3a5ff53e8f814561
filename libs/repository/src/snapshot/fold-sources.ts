/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '4e2f96f0ec8a37a29f6da395d850be16da4c69e411a184c6f07882774c4e94dd';
