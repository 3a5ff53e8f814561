/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'b31418eff462932d24e8e8e89879f6091dc75841a53f03a21f727b7b58ecdd10';
