/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'a70dd4be4d74727bdc05ff1d5e62c26debd85d14429c5c15b7b6ba1572725f72';
