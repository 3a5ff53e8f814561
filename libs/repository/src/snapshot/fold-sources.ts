/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '1ae57005e25a8d52a0d68c2734a7f0b7b8dc39c489631ecb5be664c0cc636167';
