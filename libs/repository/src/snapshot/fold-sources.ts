/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'e8169d2763e23176ff3cba6f45ce51c900762059415b72130f344a005d6836c9';
