/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '4daeb553c36721bd04e57122f33fe76f119a9988c65a667d0203d31464061521';
