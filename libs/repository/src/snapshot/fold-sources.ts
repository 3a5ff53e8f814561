/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '5041a55cab9a585efc50538d141453c28d97ae644278238dea0633705b0cd2ed';
