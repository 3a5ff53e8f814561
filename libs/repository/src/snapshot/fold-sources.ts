/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'b8fe76b556652205b416a39dfe6fb576d5894c60f9786924c3c8c77bf280d960';
